/** The keys of the bus share a hash tag: a cluster of Redis keeps them, and runs the script, in one place. */
export const busKey = "{hubbub:bus}";
/** What waits for a process: a stream, which expires when the process no longer renews it. */
export const inboxKey = (inbox: string) => `${busKey}:inbox:${inbox}`;
/** The number of the last batch that was performed for an inbox. */
export const batchKey = (inbox: string) => `${busKey}:batch:${inbox}`;
/** The inbox of each process. */
export const inboxesKey = `${busKey}:inboxes`;
/** A value that Redis has until it loses its data. */
export const lifeKey = `${busKey}:life`;
/** The channel of what concerns all processes. */
export const everyone = "*";
/** The most entries that wait for a process, about. */
export const inboxMax = 10_000;
/** When an inbox expires that its process no longer renews, milliseconds. */
export const inboxMs = 120_000;
/** How long Redis remembers who wants a channel, seconds. Each process renews that more often. */
export const claimSeconds = 86_400;

/**
 * Performs a batch of operations of one process, in order and at once. Claims are the inboxes of processes that want a
 * channel, each with a token. Arguments: the inbox of the process, the number of the batch, that of the batch before it
 * (empty for the first one of the inbox), and the operations:
 *
 * - `push`, the number of channels, the message, the channels: to all inboxes that have claimed one of them, once
 * - `admit`, a process, a channel, a token, the message: to that process, which has claimed the channel from here on
 * - `claim`, a channel, a token: for this process, unless it has a claim
 * - `release`, a channel, the token: only if no later claim has come
 * - `missed`: all other processes are told that messages were given up that may have been for them
 *
 * Returns 1. If the inbox of the process is gone, it does nothing and returns 0; so it does and returns -1 if the batch
 * before this one is missing, because a replica that didn't have it yet has taken over. A batch that is sent again,
 * because a connection was lost before its answer, has no effect.
 */
export const busScript = `
local base, own = KEYS[1], ARGV[1]
local function inboxKey(inbox) return base .. ':inbox:' .. inbox end
local function claimsKey(channel) return base .. ':to:' .. channel end

if redis.call('EXISTS', inboxKey(own)) == 0 then return 0 end
local last = base .. ':batch:' .. own
local done = redis.call('GET', last) or ''
if done == ARGV[2] then return 1 end
if done ~= ARGV[3] then return -1 end
redis.call('SET', last, ARGV[2], 'PX', ${inboxMs})

local function append(inbox, ...)
  return redis.call('XADD', inboxKey(inbox), 'NOMKSTREAM', 'MAXLEN', '~', ${inboxMax}, '*', ...)
end

local function push(message, from, to)
  local channels, order = {}, {}
  for n = from, to do
    for _, inbox in ipairs(redis.call('HKEYS', claimsKey(ARGV[n]))) do
      if inbox ~= own then
        if not channels[inbox] then
          channels[inbox] = {}
          order[#order + 1] = inbox
        end
        table.insert(channels[inbox], ARGV[n])
      end
    end
  end
  for _, inbox in ipairs(order) do
    if not append(inbox, 'message', message, 'to', table.concat(channels[inbox], ' ')) then
      for _, channel in ipairs(channels[inbox]) do redis.call('HDEL', claimsKey(channel), inbox) end
    end
  end
end

local function admit(process, channel, token, message)
  local inbox = redis.call('HGET', base .. ':inboxes', process)
  if inbox and append(inbox, 'message', message, 'to', channel, 'token', token) then
    redis.call('HSET', claimsKey(channel), inbox, token)
    redis.call('EXPIRE', claimsKey(channel), ${claimSeconds})
  end
end

local at = 4
while at <= #ARGV do
  local op = ARGV[at]
  if op == 'push' then
    local count = tonumber(ARGV[at + 1])
    push(ARGV[at + 2], at + 3, at + 2 + count)
    at = at + 3 + count
  elseif op == 'admit' then
    admit(ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4])
    at = at + 5
  elseif op == 'claim' then
    redis.call('HSETNX', claimsKey(ARGV[at + 1]), own, ARGV[at + 2])
    redis.call('EXPIRE', claimsKey(ARGV[at + 1]), ${claimSeconds})
    at = at + 3
  elseif op == 'release' then
    if redis.call('HGET', claimsKey(ARGV[at + 1]), own) == ARGV[at + 2] then
      redis.call('HDEL', claimsKey(ARGV[at + 1]), own)
    end
    at = at + 3
  else
    for _, inbox in ipairs(redis.call('HVALS', base .. ':inboxes')) do
      if inbox ~= own then append(inbox, 'message', '', 'to', '${everyone}') end
    end
    at = at + 1
  end
end
return 1
`;
