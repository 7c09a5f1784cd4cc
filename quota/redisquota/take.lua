-- One take. KEYS[1] holds the bucket; KEYS[2], if given, the answer to this take
-- when it was carried out before. Numbers that matter go as text: a number that
-- Lua returns loses its fraction.
if KEYS[2] then
  local before = redis.call('GET', KEYS[2])
  if before then return before end
end

local burst = tonumber(ARGV[1])
local rate = tonumber(ARGV[2]) -- per microsecond
local back, need, want = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local period = tonumber(ARGV[6]) -- microseconds
local remember = ARGV[7] -- milliseconds

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

-- A bucket that is not there is full. One whose time is ahead of ours was written
-- by a clock that was ahead: time goes on from here.
local level, ahead = burst, false
local held = redis.call('HMGET', KEYS[1], 'level', 'at')
if held[1] and held[2] then
  local passed = now - tonumber(held[2])
  ahead = passed < 0
  level = tonumber(held[1]) + math.max(passed, 0) * rate
end
level = math.min(level + back, burst)

local granted = 0
local short = need - level
if short <= burst * 1e-12 then
  short = 0
  local spare = math.max(level, 0) -- rounding may have brought the level a little below 0
  local most = math.min(want, spare / 2)
  local flow = rate * period
  if flow > spare then most = math.min(most, want * spare / flow) end
  granted = need + math.floor(math.max(most - need, 0))
  level = level - granted
end

local missing = burst - level
if missing <= 0 then
  redis.call('DEL', KEYS[1])
elseif granted > 0 or back > 0 or ahead then
  -- A second more than it takes to be full, for clocks that differ. The longest
  -- that Redis keeps anything is far beyond what matters here: ten years.
  local life = math.min(math.ceil(missing / rate / 1000) + 1000, 315360000000)
  redis.call('HSET', KEYS[1], 'level', string.format('%.17g', level), 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', life))
end

local answer = string.format('%.17g %.17g %.17g %.17g', granted, math.max(level, 0), short / rate, math.max(missing, 0) / rate)
if KEYS[2] and (granted > 0 or back > 0) then
  redis.call('SET', KEYS[2], answer, 'PX', remember)
end
return answer
