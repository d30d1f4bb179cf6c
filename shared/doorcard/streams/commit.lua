#!lua name=doorcard_v2

-- What must happen in the store all at once. A function is isolated, but it is no transaction:
-- what it wrote before an error stays. So each one checks everything first, and writes only when
-- nothing can fail any more. A refusal is an array, {code, detail}; {'ok', ''} is the success.
--
-- The version stands in the names, because two versions of the program may run side by side. A
-- change of meaning takes a new library: doorcard_v3. Nothing here may depend on the time of
-- loading, when neither redis.call nor the string functions exist.

local DIGITS = '^%d+$'
local DIGITS_MAX = 15

local function is_number(text)
  return #text <= DIGITS_MAX and string.find(text, DIGITS) ~= nil
end

local function is_entry_id(text)
  local left, right = string.match(text, '^(%d+)%-(%d+)$')
  return left ~= nil and #left <= 19 and #right <= 19
end

-- A refusal for the first key, from a place on, that holds something else than it should, or nil.
-- A key may be missing.
local function misfit(keys, from, kinds)
  for place = from, #keys do
    local found = redis.call('TYPE', keys[place]).ok
    if found ~= 'none' and found ~= kinds[place - from + 1] then
      return {'wrong_type', keys[place] .. ' is a ' .. found}
    end
  end
  return nil
end

-- The number of a log's newest entry ever: '0' before the first, nil if it is no commit's.
local function last_seq(log)
  if redis.call('TYPE', log).ok == 'none' then
    return '0'
  end
  local facts = redis.call('XINFO', 'STREAM', log)
  for place = 1, #facts, 2 do
    if facts[place] == 'last-generated-id' then
      return string.match(facts[place + 1], '^(%d+)%-0$')
    end
  end
  return nil
end

-- What keeps a log from ending with a commit: nil, or a refusal. The cheap question comes first,
-- for its last entry; a log that is trimmed to nothing knows its last number still.
local function check_end(log, seq)
  local tail = redis.pcall('XREVRANGE', log, '+', '-', 'COUNT', 1)
  if tail.err then
    return {'wrong_type', log .. ' is no stream'}
  end
  local found
  if tail[1] then
    found = tail[1][1] == seq .. '-0'
  else
    found = last_seq(log) == seq
  end
  return not found and {'no_head', 'the head does not fit the log'} or nil
end

local function now_ms()
  local now = redis.call('TIME')
  return now[1] * 1000 + math.floor(now[2] / 1000)
end

local function finish(queue, group, id)
  redis.call('XACK', queue, group, id)
  redis.call('XDEL', queue, id)
end

-- Append one commit.
-- KEYS: log, head, paused, tables, timers, feed; then the queue to wake and the source's, if any.
-- ARGV: table; its numbers, which are seq, time, how far that may be off, the last hand's first
-- commit and the feed's length; chain before; chain; bytes; role; wake-up; deadline; timer; timer
-- that ends; id of the source; group. Empty means that there is none of it.
-- Reading log, head and pause shows that their types are right; those of the others are asked for.
local NUMBERS = '^([1-9]%d*) (%d+) (%d+) (%d+) (%d+)$'
local WRITTEN_KINDS = {'set', 'zset', 'stream', 'stream', 'stream'}

local function read_numbers(text)
  local seq, time_ms, bound_ms, hand_seq, feed_max = string.match(text, NUMBERS)
  if not seq or math.max(#seq, #time_ms, #bound_ms, #hand_seq, #feed_max) > DIGITS_MAX then
    return nil
  end
  return {seq = seq, time_ms = time_ms, bound_ms = bound_ms, hand_seq = hand_seq,
    feed_max = feed_max}
end

local function check_form(keys, args, numbers)
  local wake, deadline_ms, source_id = args[7], args[8], args[11]
  if not numbers or not (deadline_ms == '' or is_number(deadline_ms)) then
    return {'bad', 'one of its numbers is none, or too large'}
  end
  if tonumber(numbers.hand_seq) > tonumber(numbers.seq) then
    return {'bad', 'its last hand lies behind it'}
  end
  if source_id ~= '' and not is_entry_id(source_id) then
    return {'bad', 'its source has no such id'}
  end
  if #keys ~= 6 + (wake ~= '' and 1 or 0) + (source_id ~= '' and 1 or 0) then
    return {'bad', 'it names the wrong number of keys'}
  end
  return misfit(keys, 4, WRITTEN_KINDS)
end

local function check_version(keys, args, numbers)
  local head = redis.pcall('HMGET', keys[2], 'seq', 'chain', 'hand')
  if head.err then
    return {'wrong_type', keys[2] .. ' is no hash'}
  end
  local head_seq, head_chain = head[1], head[2]
  if not head_seq then
    head_seq, head_chain = '0', string.rep('\0', 32)
  elseif not (head_chain and head[3] and is_number(head_seq)) then
    return {'no_head', 'the head is damaged'}
  end
  local wrong_end = check_end(keys[1], head_seq)
  if wrong_end then
    return wrong_end
  end
  if head_seq == numbers.seq and head_chain == args[4] then
    return {'repeat', ''}
  end
  local reason = redis.pcall('HGET', keys[3], args[1])
  if type(reason) == 'table' then
    return {'wrong_type', keys[3] .. ' is no hash'}
  end
  if reason and args[6] ~= 'floor' then
    return {'paused', reason}
  end
  if head_seq + 1 ~= tonumber(numbers.seq) or head_chain ~= args[3] then
    return {'conflict', 'the log is at commit ' .. head_seq}
  end
  local now = now_ms()
  if math.abs(numbers.time_ms - now) > tonumber(numbers.bound_ms) then
    return {'time', "the store's clock says " .. string.format('%.0f', now)}
  end
  return nil
end

local function write_commit(keys, args, numbers)
  local call = redis.call
  local table_id, seq = args[1], numbers.seq
  local wake, deadline_ms, timer, old_timer = args[7], args[8], args[9], args[10]
  -- The first write is the only one that may still be refused: where the log's last entries were
  -- deleted, and their numbers are used up.
  local added = redis.pcall('XADD', keys[1], seq .. '-0', 'c', args[5])
  if type(added) == 'table' then
    return {'bad', added.err}
  end
  call('HSET', keys[2], 'seq', seq, 'chain', args[4], 'hand', numbers.hand_seq)
  if wake ~= '' then
    call('XADD', keys[7], '*', 'm', wake)
  end
  if old_timer ~= '' then
    call('ZREM', keys[5], old_timer)
  end
  if deadline_ms ~= '' then
    call('ZADD', keys[5], deadline_ms, timer)
  end
  call('XADD', keys[6], 'MAXLEN', '~', numbers.feed_max, '*', 't', table_id, 's', seq)
  if seq == '1' then
    call('SADD', keys[4], table_id)
  end
  return nil
end

local function commit(keys, args)
  if #args ~= 12 then
    return {'bad', 'it has the wrong number of arguments'}
  end
  local numbers = read_numbers(args[2])
  local refused = check_form(keys, args, numbers)
    or check_version(keys, args, numbers)
    or write_commit(keys, args, numbers)
  if refused and refused[1] ~= 'repeat' then
    return refused
  end
  if args[11] ~= '' then
    finish(keys[#keys], args[12], args[11])
  end
  return {'ok', ''}
end

-- Set a head that was found again from its log, unless the log has moved on meanwhile.
-- KEYS: log, head. ARGV: seq, chain, number of the last hand's first commit.
local function restore_head(keys, args)
  if not (is_number(args[1]) and is_number(args[3])) then
    return {'bad', 'one of its numbers is none'}
  end
  local wrong = misfit(keys, 1, {'stream', 'hash'})
  if wrong then
    return wrong
  end
  if last_seq(keys[1]) ~= args[1] then
    return {'conflict', 'the log is at another commit'}
  end
  redis.call('HSET', keys[2], 'seq', args[1], 'chain', args[2], 'hand', args[3])
  return {'ok', ''}
end

-- A whole number as msgpack.
local function pack_number(number)
  if number < 128 then
    return string.char(number)
  end
  local bytes = {}
  for place = 8, 1, -1 do
    bytes[place] = string.char(number % 256)
    number = math.floor(number / 256)
  end
  return string.char(207) .. table.concat(bytes)
end

-- Turn timers that ran out into messages: no timer is lost between its set and its queue.
-- KEYS: timers, betting's queue, paused, dealer's queue. ARGV: how many at most, milliseconds to put off those
-- of paused tables and those of a kind that only a newer version knows.
local function fire(keys, args)
  if not (is_number(args[1]) and is_number(args[2])) then
    return {'bad', 'one of its numbers is none'}
  end
  local wrong = misfit(keys, 1, {'zset', 'stream', 'hash', 'stream'})
  if wrong then
    return wrong
  end
  local now = now_ms()
  local later = string.format('%.0f', now + args[2])
  local due = redis.call(
    'ZRANGEBYSCORE', keys[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, args[1])
  local fired = 0
  for _, timer in ipairs(due) do
    local table_id, kind, decision = string.match(timer, '^(.+)|(%l+)|(%d+)$')
    local queue = kind == 'act' and keys[2] or kind == 'card' and keys[4]
    if not queue or #table_id > 255 or not is_number(decision)
        or redis.call('HEXISTS', keys[3], table_id) == 1 then
      redis.call('ZADD', keys[1], later, timer)
    else
      local name = string.char(217, #table_id) .. table_id
      local message = string.char(147, 2) .. name .. pack_number(tonumber(decision))
      redis.call('XADD', queue, '*', 'm', message)
      redis.call('ZREM', keys[1], timer)
      fired = fired + 1
    end
  end
  return {'ok', tostring(fired)}
end

-- Put a message that nobody can handle among the dead letters, and pause its table.
-- KEYS: dead letters, paused, the message's queue.
-- ARGV: table (empty if unknown), reason, times delivered, id, message, group.
local function bury(keys, args)
  if not is_number(args[3]) or not is_entry_id(args[4]) then
    return {'bad', 'its count or its id is none'}
  end
  local wrong = misfit(keys, 1, {'stream', 'hash', 'stream'})
  if wrong then
    return wrong
  end
  redis.call('XADD', keys[1], '*', 't', args[1], 'why', args[2], 'n', args[3],
    'q', keys[3], 'id', args[4], 'm', args[5])
  if args[1] ~= '' then
    redis.call('HSET', keys[2], args[1], args[2])
  end
  finish(keys[3], args[6], args[4])
  return {'ok', ''}
end

redis.register_function('doorcard_commit_v2', commit)
redis.register_function('doorcard_head_v2', restore_head)
redis.register_function('doorcard_fire_v2', fire)
redis.register_function('doorcard_bury_v2', bury)
