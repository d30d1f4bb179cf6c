#!lua name=doorcard_v1

-- What must happen in the store all at once. A function is isolated, but it is no transaction:
-- what it wrote before an error stays. So each one checks everything first, and writes only when
-- nothing can fail any more. A refusal is an array, {code, detail}; {'ok', ''} is the success.
--
-- The version stands in the names, because two versions of the program may run side by side. A
-- change of meaning takes a new library: doorcard_v2. Nothing here may depend on the time of
-- loading, when neither redis.call nor the string functions exist.

local DIGITS = '^%d+$'

local function is_number(text)
  return #text <= 15 and string.find(text, DIGITS) ~= nil
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

-- What keeps a log from ending with a commit: nil, or a refusal. The cheap question comes first:
-- whether the commit is there and nothing behind it. A trimmed log knows its last number still.
local function check_end(log, seq)
  local tail = redis.pcall('XRANGE', log, seq .. '-0', '+', 'COUNT', 2)
  if tail.err then
    return {'wrong_type', log .. ' is no stream'}
  end
  if #tail == 1 and tail[1][1] == seq .. '-0' then
    return nil
  end
  if #tail == 0 and last_seq(log) == seq then
    return nil
  end
  return {'no_head', 'the head does not fit the log'}
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
-- ARGV: see the names below. Empty means that there is none of it.
-- Reading log, head and pause shows that their types are right; those of the others are asked for.
local WRITTEN_KINDS = {'set', 'zset', 'stream', 'stream', 'stream'}

local function check_form(keys, args)
  local seq, before_seq, hand_seq = args[2], args[3], args[9]
  local wake, deadline_ms, source_id = args[11], args[12], args[15]
  if not (is_number(seq) and is_number(before_seq) and is_number(args[7]) and is_number(args[8])
      and is_number(hand_seq) and is_number(args[17])
      and (deadline_ms == '' or is_number(deadline_ms))) then
    return {'bad', 'one of its numbers is none, or too large'}
  end
  if tonumber(seq) ~= before_seq + 1 or tonumber(hand_seq) > tonumber(seq) then
    return {'bad', 'its numbers do not fit together'}
  end
  if source_id ~= '' and not is_entry_id(source_id) then
    return {'bad', 'its source has no such id'}
  end
  if #keys ~= 6 + (wake ~= '' and 1 or 0) + (source_id ~= '' and 1 or 0) then
    return {'bad', 'it names the wrong number of keys'}
  end
  return misfit(keys, 4, WRITTEN_KINDS)
end

local function check_version(keys, args)
  local seq, before_seq, before, chain = args[2], args[3], args[4], args[5]
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
  if head_seq == seq and head_chain == chain then
    return {'repeat', ''}
  end
  local reason = redis.pcall('HGET', keys[3], args[1])
  if type(reason) == 'table' then
    return {'wrong_type', keys[3] .. ' is no hash'}
  end
  if reason and args[10] ~= 'floor' then
    return {'paused', reason}
  end
  if head_seq ~= before_seq or head_chain ~= before then
    return {'conflict', 'the log is at commit ' .. head_seq}
  end
  local now = now_ms()
  if math.abs(args[7] - now) > tonumber(args[8]) then
    return {'time', "the store's clock says " .. string.format('%.0f', now)}
  end
  return nil
end

local function write_commit(keys, args)
  local call = redis.call
  local table_id, seq, timers = args[1], args[2], keys[5]
  local wake, deadline_ms, timer, old_timer = args[11], args[12], args[13], args[14]
  call('XADD', keys[1], seq .. '-0', 'c', args[6])
  call('HSET', keys[2], 'seq', seq, 'chain', args[5], 'hand', args[9])
  if wake ~= '' then
    call('XADD', keys[7], '*', 'm', wake)
  end
  if old_timer ~= '' and old_timer ~= timer then
    call('ZREM', timers, old_timer)
  end
  if deadline_ms ~= '' then
    call('ZADD', timers, deadline_ms, timer)
  end
  call('XADD', keys[6], 'MAXLEN', '~', args[17], '*', 't', table_id, 's', seq)
  if seq == '1' then
    call('SADD', keys[4], table_id)
  end
end

local function commit(keys, args)
  if #args ~= 17 then
    return {'bad', 'it has the wrong number of arguments'}
  end
  local refused = check_form(keys, args) or check_version(keys, args)
  if refused and refused[1] ~= 'repeat' then
    return refused
  end
  if not refused then
    write_commit(keys, args)
  end
  if args[15] ~= '' then
    finish(keys[#keys], args[16], args[15])
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
-- KEYS: timers, betting's queue, paused. ARGV: how many at most, milliseconds to put off those
-- of paused tables and those of a kind that only a newer version knows.
local function fire(keys, args)
  if not (is_number(args[1]) and is_number(args[2])) then
    return {'bad', 'one of its numbers is none'}
  end
  local wrong = misfit(keys, 1, {'zset', 'stream', 'hash'})
  if wrong then
    return wrong
  end
  local now = now_ms()
  local later = string.format('%.0f', now + args[2])
  local due = redis.call(
    'ZRANGEBYSCORE', keys[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, args[1])
  local fired = 0
  for _, timer in ipairs(due) do
    local table_id, decision = string.match(timer, '^(.+)|act|(%d+)$')
    if not table_id or #table_id > 255 or not is_number(decision)
        or redis.call('HEXISTS', keys[3], table_id) == 1 then
      redis.call('ZADD', keys[1], later, timer)
    else
      local name = string.char(217, #table_id) .. table_id
      local message = string.char(147, 2) .. name .. pack_number(tonumber(decision))
      redis.call('XADD', keys[2], '*', 'm', message)
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

redis.register_function('doorcard_commit_v1', commit)
redis.register_function('doorcard_head_v1', restore_head)
redis.register_function('doorcard_fire_v1', fire)
redis.register_function('doorcard_bury_v1', bury)
