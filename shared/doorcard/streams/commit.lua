#!lua name=doorcard_v6

-- What must happen in the store all at once. A function is isolated, but it is no transaction:
-- what it wrote before an error stays. So each one checks everything first, writes only when nothing
-- should fail any more, and writes last what the rest hangs on. A refusal is an array,
-- {code, detail}; {'ok', ''} is the success.
--
-- The version stands in the names, because two versions of the program may run side by side. A
-- change of meaning takes a new library: doorcard_v7. Nothing here may depend on the time of
-- loading, when neither redis.call nor the string functions exist.

local DIGITS = '^%d+$'
local DIGITS_MAX = 15

local function is_number(text)
  return #text <= DIGITS_MAX and string.find(text, DIGITS) ~= nil
end

-- The last id that an entry of a stream can have: nothing can be added behind it.
local ID_MAX = '18446744073709551615'
local LAST_ID = ID_MAX .. '-' .. ID_MAX

local function is_in_id(digits)
  return #digits < #ID_MAX or (#digits == #ID_MAX and digits <= ID_MAX)
end

local function is_entry_id(text)
  local left, right = string.match(text, '^(%d+)%-(%d+)$')
  return left ~= nil and is_in_id(left) and is_in_id(right)
end

-- A refusal for the first key of some places that holds something else than the list has for its
-- place, or nil. A key may be missing.
local function misfit(keys, from, to, kinds)
  for place = from, to do
    local found = redis.call('TYPE', keys[place]).ok
    if found ~= 'none' and found ~= kinds[place] then
      return {'wrong_type', keys[place] .. ' is a ' .. found}
    end
  end
  return nil
end

-- Whether an error says that a key holds another kind of value. Any other, that the user may not
-- do this, say, is the store's trouble and not the key's.
local function is_wrong_type(failed)
  return string.find(tostring(failed.err), 'WRONGTYPE', 1, true) ~= nil
end

-- Add an entry to a queue or a feed. Where that fails, the error names it.
local function put(key, field, text)
  local added = redis.pcall('XADD', key, '*', field, text)
  if type(added) == 'table' then
    error({err = tostring(added.err) .. ' (' .. key .. ')'})
  end
end

local function now_ms()
  local now = redis.call('TIME')
  return now[1] * 1000 + math.floor(now[2] / 1000)
end

-- Append one commit.
-- KEYS: log, paused, tables, timers, feed; then the queue to wake, the source's and the stream of
-- the sender's replies, if any.
-- ARGV: table; its numbers, which are seq, time, how far that may be off, the feed's length, how
-- much too early a timer may be, how many replies are kept and for how many seconds; mark of the commit before, which is the beginning
-- of its chain hash; mark; bytes; role; wake-up; deadline; timer; timer that ends; id of the
-- source; reply. Empty means that there is none of it.
-- Reading log and pauses shows that their types are right; those of the others are asked for, where
-- they are written to. The source is deleted last: what is no queue any more holds no message.
local NUMBERS = '^([1-9]%d*) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$'
local WRITTEN_KINDS = {[3] = 'set', [4] = 'zset', [5] = 'stream', [6] = 'stream'}
local REPLIES_TRIM_EVERY = 32
local FEED_TRIM_EVERY = 64

local function read_numbers(text)
  local seq, time_ms, bound_ms, feed_max, slack_ms, replies_max, kept_s =
    string.match(text, NUMBERS)
  if not seq or math.max(#seq, #time_ms, #bound_ms, #feed_max, #slack_ms, #replies_max, #kept_s)
      > DIGITS_MAX then
    return nil
  end
  return {seq = seq, time_ms = time_ms, bound_ms = bound_ms, feed_max = feed_max,
    slack_ms = slack_ms, replies_max = replies_max, kept_s = kept_s}
end

local function check_form(keys, args, numbers)
  local wake, deadline_ms, ended, source_id = args[7], args[8], args[10], args[11]
  if not numbers or not (deadline_ms == '' or is_number(deadline_ms)) then
    return {'bad', 'one of its numbers is none, or too large'}
  end
  if source_id ~= '' and not is_entry_id(source_id) then
    return {'bad', 'its source has no such id'}
  end
  local written = 5 + (wake ~= '' and 1 or 0)
  if #keys ~= written + (source_id ~= '' and 1 or 0) + (args[12] ~= '' and 1 or 0) then
    return {'bad', 'it names the wrong number of keys'}
  end
  local from = numbers.seq == '1' and 3 or (deadline_ms ~= '' or ended ~= '') and 4 or 5
  return misfit(keys, from, written, WRITTEN_KINDS)
end

-- The version is the newest commit's number and mark. A log whose last entries were deleted is
-- caught by XADD, because their numbers are used up; one that is gone as a whole, by the list of
-- tables.
local FIRST_MARK = '\0\0\0\0\0\0\0\0'

-- Number and mark of a log's newest commit; nil and a refusal where it cannot be read.
local function newest(log)
  local entries = redis.pcall('XREVRANGE', log, '+', '-', 'COUNT', 1)
  if entries.err then
    if is_wrong_type(entries) then
      return nil, {'wrong_type', log .. ' is no stream'}
    end
    error(entries)
  end
  local entry = entries[1]
  if not entry then
    return '0', FIRST_MARK
  end
  local at, mark = string.match(entry[1], '^(%d+)%-0$'), entry[2][4]
  if not (at and mark) then
    return nil, {'bad', 'the log ends with ' .. entry[1] .. ', which is no commit'}
  end
  return at, mark
end

local function check_version(keys, args, numbers)
  local at, mark = newest(keys[1])
  if not at then
    return mark
  end
  if at == '0' and redis.call('SISMEMBER', keys[3], args[1]) == 1 then
    return {'bad', 'the log is gone, and the table was open'}
  end
  if at == numbers.seq and mark == args[4] then
    return {'repeat', ''}
  end
  local reason = redis.pcall('HGET', keys[2], args[1])
  if type(reason) == 'table' then
    if not is_wrong_type(reason) then
      error(reason)
    end
    return {'wrong_type', keys[2] .. ' is no hash'}
  end
  if reason and args[6] ~= 'floor' then
    return {'paused', reason}
  end
  if at + 1 ~= tonumber(numbers.seq) or mark ~= args[3] then
    return {'conflict', 'the log is at commit ' .. at}
  end
  local now = now_ms()
  if math.abs(numbers.time_ms - now) > tonumber(numbers.bound_ms) then
    return {'time', "the store's clock says " .. string.format('%.0f', now)}
  end
  return nil
end

-- The log comes last. Should the server refuse a write on the way, to a user who may not do it say,
-- then there is no commit, and what stands already tells its readers nothing that matters: a notice
-- too many comes to nothing, and a timer too early is set again. The other way round there would be
-- a commit that nobody is told of.
local function write_commit(keys, args, numbers)
  local call = redis.call
  local table_id, seq = args[1], numbers.seq
  local wake, deadline_ms, timer, ended = args[7], args[8], args[9], args[10]
  if wake ~= '' then
    put(keys[6], 'm', wake)
  end
  if ended ~= '' then
    call('ZREM', keys[4], ended)
  end
  if deadline_ms ~= '' then
    local early_ms = deadline_ms - (call('ZSCORE', keys[4], timer) or math.huge)
    if early_ms < 0 or early_ms > tonumber(numbers.slack_ms) then
      call('ZADD', keys[4], deadline_ms, timer)
    end
  end
  if seq % FEED_TRIM_EVERY == 0 then
    call('XTRIM', keys[5], 'MAXLEN', '~', numbers.feed_max)
  end
  put(keys[5], 't', table_id .. ' ' .. seq)
  if seq == '1' then
    call('SADD', keys[3], table_id)
  end
  -- Refused where the log's last entries were deleted, and their numbers are used up.
  local added = redis.pcall('XADD', keys[1], seq .. '-0', 'c', args[5], 'h', args[4])
  if type(added) == 'table' then
    if seq == '1' then
      call('SREM', keys[3], table_id)
    end
    if not string.find(tostring(added.err), ' ID', 1, true) then
      error(added)
    end
    return {'bad', keys[1] .. ': ' .. tostring(added.err)}
  end
  return nil
end

-- Add answers to a sender's stream, which is kept short, and not for ever; what is wrong, or nil.
local function keep_replies(key, replies_max, kept_s, args, from)
  local before = redis.pcall('XLEN', key)
  if type(before) == 'table' then
    return key .. (is_wrong_type(before) and ' is no stream' or ': ' .. tostring(before.err))
  end
  for place = from, #args do
    local added = redis.pcall('XADD', key, '*', 'm', args[place])
    if type(added) == 'table' then
      return key .. ': ' .. tostring(added.err)
    end
  end
  local turns = math.floor((before + #args - from + 1) / REPLIES_TRIM_EVERY)
  if before == 0 or turns > math.floor(before / REPLIES_TRIM_EVERY) then
    redis.call('XTRIM', key, 'MAXLEN', '~', replies_max)
    redis.call('EXPIRE', key, kept_s)
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
  local reply_key = args[12] ~= '' and keys[#keys]
  if args[11] ~= '' then
    redis.pcall('XDEL', keys[reply_key and #keys - 1 or #keys], args[11])
  end
  local lost = reply_key
    and keep_replies(reply_key, numbers.replies_max, numbers.kept_s, args, 12)
  return {'ok', lost or ''}
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

-- When the store took writes, by its own evidence: a hash that holds under AT when this function
-- wrote last, and by its beginning the end of each longer time in which it could not, or did not.
local AT = 'at'
local NOTE_EVERY_MS = 500
local OUTAGES_MAX = 16

local function read_outages(key)
  local found = {}
  local pairs_ = redis.call('HGETALL', key)
  for place = 1, #pairs_, 2 do
    if is_number(pairs_[place]) and is_number(pairs_[place + 1]) then
      found[#found + 1] = {tonumber(pairs_[place]), tonumber(pairs_[place + 1])}
    end
  end
  table.sort(found, function(one, other) return one[1] < other[1] end)
  return found
end

local function note_writes(key, now, silence_ms)
  local at = tonumber(redis.call('HGET', key, AT) or '')
  if not at or math.abs(now - at) >= NOTE_EVERY_MS then
    redis.call('HSET', key, AT, string.format('%.0f', now))
  end
  if at and now - at > silence_ms then
    redis.call('HSET', key, string.format('%.0f', at), string.format('%.0f', now))
    local outages = read_outages(key)
    if #outages > OUTAGES_MAX then
      redis.call('HDEL', key, string.format('%.0f', outages[1][1]))
    end
  end
end

local function pack_outages(outages)
  local parts = {}
  for place, outage in ipairs(outages) do
    parts[place] = pack_number(outage[1]) .. pack_number(outage[2])
  end
  return #outages > 0 and string.char(220, 0, 2 * #outages) .. table.concat(parts) or ''
end

-- Turn timers that ran out into messages: no timer is lost between its set and its queue.
-- KEYS: timers, betting's queue, paused, dealer's queue, notes of writes. ARGV: how many at most,
-- milliseconds to put off those of paused tables and those of a kind that only a newer version
-- knows, milliseconds without a write that count as an outage.
local function fire(keys, args)
  if not (is_number(args[1]) and is_number(args[2]) and is_number(args[3])) then
    return {'bad', 'one of its numbers is none'}
  end
  local wrong = misfit(keys, 1, #keys, {'zset', 'stream', 'hash', 'stream', 'hash'})
  if wrong then
    return wrong
  end
  local now = now_ms()
  note_writes(keys[5], now, tonumber(args[3]))
  local later = string.format('%.0f', now + args[2])
  local due = redis.call('ZRANGEBYSCORE', keys[1], '-inf', string.format('%.0f', now),
    'WITHSCORES', 'LIMIT', 0, args[1])
  local outages = #due > 0 and pack_outages(read_outages(keys[5])) or ''
  local form = string.char(outages == '' and 147 or 148, 2)
  local fired = 0
  for place = 1, #due, 2 do
    local timer, deadline_ms = due[place], tonumber(due[place + 1])
    local table_id, kind = string.match(timer, '^(.+)|(%l+)$')
    local queue = kind == 'act' and keys[2] or kind == 'card' and keys[4]
    if not queue or #table_id > 255 or deadline_ms < 0
        or redis.call('HEXISTS', keys[3], table_id) == 1 then
      redis.call('ZADD', keys[1], later, timer)
    else
      local name = string.char(217, #table_id) .. table_id
      local message = form .. name .. pack_number(deadline_ms) .. outages
      put(queue, 'm', message)
      redis.call('ZREM', keys[1], timer)
      fired = fired + 1
    end
  end
  return {'ok', tostring(fired)}
end

-- Messages are read without a list of who has which; a handled one is deleted. So what was handed
-- out and is still there after a while was given up, and is handed out again. The hash of what was
-- given holds, by the id of a message that was given again or is held, when and how often; and
-- under LINE a time, and the id up to which everything had been handed out by then.
local LINE = 'line'
local MESSAGES_AT_ONCE = 100

local function fact(facts, name)
  for place = 1, #facts, 2 do
    if facts[place] == name then
      return facts[place + 1]
    end
  end
  return nil
end

local function last_read(queue, group)
  if redis.call('EXISTS', queue) == 0 then
    return nil
  end
  for _, facts in ipairs(redis.call('XINFO', 'GROUPS', queue)) do
    if fact(facts, 'name') == group then
      return fact(facts, 'last-delivered-id')
    end
  end
  return nil
end

-- Whether an entry's id lies behind another's.
local function is_behind(id, other)
  local left, right = string.match(id, '^(%d+)%-(%d+)$')
  local left_other, right_other = string.match(other, '^(%d+)%-(%d+)$')
  local apart = left - left_other
  return apart > 0 or (apart == 0 and right - right_other > 0)
end

-- See to it that a group is handed what is added to its queue, which somebody else may have kept it
-- from: a group that was set beyond the queue's end begins anew, and so does a queue that has used
-- up its ids, once it is empty. What was done, or nil; and why it could not be done.
local function mend(queue, group, read_id)
  local end_id = fact(redis.call('XINFO', 'STREAM', queue), 'last-generated-id')
  local done, why
  if end_id == LAST_ID and redis.call('XLEN', queue) == 0 then
    done, why = redis.pcall('DEL', queue), queue .. ' had used up its ids'
  elseif is_behind(read_id, end_id) then
    done = redis.pcall('XGROUP', 'SETID', queue, group, '0')
    why = 'the group ' .. group .. ' of ' .. queue .. ' stood beyond its end'
  end
  if type(done) == 'table' and done.err then
    return nil, why .. ': ' .. done.err
  end
  return why, ''
end

-- Forget what was noted of messages that are no more, or of none, and return the rest.
local function read_given(queue, given)
  local notes = {}
  local pairs_ = redis.call('HGETALL', given)
  for place = 1, #pairs_, 2 do
    local id, note = pairs_[place], pairs_[place + 1]
    if id == LINE or (is_entry_id(id) and redis.call('XRANGE', queue, id, id)[1]) then
      notes[id] = note
    else
      redis.call('HDEL', given, id)
    end
  end
  return notes
end

-- Whether something was noted so long ago that it counts as given up. A time that is yet to come
-- was noted by a clock that ran ahead: nobody waits until this one has caught up with it.
local function is_given_up(at, before_ms, now)
  return tonumber(at) <= before_ms or tonumber(at) > now
end

-- The messages up to an id that are due again, each with its new count, and what waits yet.
local function due_again(queue, given, notes, line_id, before_ms, now, most)
  local found = {}
  local from = '-'
  while #found < most do
    local page = redis.call('XRANGE', queue, from, line_id, 'COUNT', MESSAGES_AT_ONCE)
    for _, entry in ipairs(page) do
      local at, count = string.match(notes[entry[1]] or '', '^(%d+) (%d+)$')
      if #found < most and (not at or is_given_up(at, before_ms, now)) then
        count = string.format('%.0f', (count or 1) + 1)
        redis.call('HSET', given, entry[1], string.format('%.0f ', now) .. count)
        found[#found + 1] = {entry[1], entry[2], count}
      end
    end
    if #page < MESSAGES_AT_ONCE then
      break
    end
    from = '(' .. page[#page][1]
  end
  return found
end

-- Hand out again what was given up.
-- KEYS: a queue, what was given of it. ARGV: group, milliseconds until a message counts as given
-- up, how many at most. The answer's detail is a list of {id, fields, times handed out}; a third
-- word says what keeps new messages from being handed out, and could not be mended.
local function claim(keys, args)
  if not (is_number(args[2]) and is_number(args[3])) then
    return {'bad', 'one of its numbers is none'}
  end
  local wrong = misfit(keys, 1, #keys, {'stream', 'hash'})
  if wrong then
    return wrong
  end
  local read_id = last_read(keys[1], args[1])
  if not read_id then
    return {'no_group', 'the group ' .. args[1] .. ' of ' .. keys[1] .. ' is missing'}
  end
  local mended, unmended = mend(keys[1], args[1], read_id)
  if mended then
    return {'no_group', mended}
  end
  local now = now_ms()
  local before_ms = now - args[2]
  local notes = read_given(keys[1], keys[2])
  local at, line_id = string.match(notes[LINE] or '', '^(%d+) (%d+%-%d+)$')
  local found = {}
  if at and is_given_up(at, before_ms, now) then
    found = due_again(keys[1], keys[2], notes, line_id, before_ms, now, tonumber(args[3]))
  end
  -- A group made anew reads from the beginning: then the line lies behind what was read.
  local is_old = not at or is_given_up(at, before_ms, now) or is_behind(line_id, read_id)
  if is_old and #found < tonumber(args[3]) and (line_id or '0-0') ~= read_id then
    redis.call('HSET', keys[2], LINE, string.format('%.0f ', now) .. read_id)
  end
  return {'ok', found, unmended}
end

-- Say that messages are still worked at.
-- KEYS: a queue, what was given of it. ARGV: id and times handed out of each message.
local function hold(keys, args)
  local wrong = misfit(keys, 1, #keys, {'stream', 'hash'})
  if wrong then
    return wrong
  end
  for place = 1, #args, 2 do
    if not (is_entry_id(args[place]) and is_number(args[place + 1] or '')) then
      return {'bad', 'an id or a count is none'}
    end
  end
  local now = string.format('%.0f ', now_ms())
  for place = 1, #args, 2 do
    if redis.call('XRANGE', keys[1], args[place], args[place])[1] then
      redis.call('HSET', keys[2], args[place], now .. args[place + 1])
    end
  end
  return {'ok', ''}
end

-- Delete a message that came to nothing, and see to it that its table's timer runs. Not if the
-- table is another by now: the store may have gone back, and need the message again.
-- KEYS: log, timers, the message's queue. ARGV: number and mark that it was decided on, id, the
-- latest time that the timer may be set to, timer; the last two are empty if none must run.
local function settle(keys, args)
  local deadline_ms, timer = args[4], args[5]
  if not is_number(args[1]) or not is_entry_id(args[3])
      or not (deadline_ms == '' or is_number(deadline_ms)) then
    return {'bad', 'one of its numbers or its id is none'}
  end
  local wrong = misfit(keys, 1, #keys, {'stream', 'zset', 'stream'})
  if wrong then
    return wrong
  end
  local at, mark = newest(keys[1])
  if not at then
    return mark
  end
  if at ~= args[1] or mark ~= args[2] then
    return {'conflict', 'the log is at commit ' .. at}
  end
  if deadline_ms ~= ''
      and tonumber(redis.call('ZSCORE', keys[2], timer) or math.huge) > tonumber(deadline_ms) then
    redis.call('ZADD', keys[2], deadline_ms, timer)
  end
  redis.call('XDEL', keys[3], args[3])
  return {'ok', ''}
end

-- Delete a message to a paused table. One that goes on by now needs its message.
-- KEYS: paused, the message's queue. ARGV: table, id.
local function shelve(keys, args)
  if not is_entry_id(args[2]) then
    return {'bad', 'its id is none'}
  end
  local wrong = misfit(keys, 1, #keys, {'hash', 'stream'})
  if wrong then
    return wrong
  end
  if redis.call('HEXISTS', keys[1], args[1]) == 0 then
    return {'conflict', 'it is not paused'}
  end
  redis.call('XDEL', keys[2], args[2])
  return {'ok', ''}
end

-- Put a message that nobody can handle among the dead letters, and pause its table. One that is
-- there no more was handled by somebody else, or buried: then nothing is left to do.
-- KEYS: dead letters, paused, the message's queue.
-- ARGV: table (empty if unknown), reason, times delivered, id, message.
local function bury(keys, args)
  if not is_number(args[3]) or not is_entry_id(args[4]) then
    return {'bad', 'its count or its id is none'}
  end
  local wrong = misfit(keys, 1, #keys, {'stream', 'hash', 'stream'})
  if wrong then
    return wrong
  end
  if not redis.call('XRANGE', keys[3], args[4], args[4])[1] then
    return {'ok', ''}
  end
  redis.call('XADD', keys[1], '*', 't', args[1], 'why', args[2], 'n', args[3],
    'q', keys[3], 'id', args[4], 'm', args[5])
  if args[1] ~= '' then
    redis.call('HSETNX', keys[2], args[1], args[2])  -- an operator's reason stays
  end
  redis.call('XDEL', keys[3], args[4])
  return {'ok', ''}
end

-- Add answers to one sender's stream, which is kept short, and not for ever.
-- KEYS: the stream. ARGV: how many are kept, for how many seconds, answers.
local function reply(keys, args)
  if not (is_number(args[1]) and is_number(args[2])) then
    return {'bad', 'one of its numbers is none'}
  end
  local wrong = keep_replies(keys[1], args[1], args[2], args, 3)
  return wrong and {'wrong_type', wrong} or {'ok', ''}
end

redis.register_function('doorcard_commit_v6', commit)
redis.register_function('doorcard_fire_v6', fire)
-- A store that is full takes these, so that what is held is not handed to others meanwhile.
redis.register_function{
  function_name = 'doorcard_claim_v6', callback = claim, flags = {'allow-oom'}}
redis.register_function{
  function_name = 'doorcard_hold_v6', callback = hold, flags = {'allow-oom'}}
redis.register_function('doorcard_bury_v6', bury)
redis.register_function('doorcard_reply_v6', reply)
redis.register_function('doorcard_settle_v6', settle)
redis.register_function('doorcard_shelve_v6', shelve)
