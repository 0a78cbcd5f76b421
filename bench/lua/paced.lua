-- Waits between two requests of a connection: on average as many milliseconds as it is told, never in step.
local longest
function init(args)
  math.randomseed(os.time())
  longest = 2 * tonumber(args[1])
end
function delay()
  return math.random() * longest
end
