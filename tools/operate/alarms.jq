# Prints the alarms of docs/operating.md that log lines set off: urgency, name and number of lines, divided by tabs.
# Prints nothing if there is none. Give it the lines of 15 minutes; it skips what is no log line:
#
#   jq -nrRf tools/operate/alarms.jq service.log

# The names of the alarms that a line counts for.
def alarms:
  (select(.settings) | "settings"),
  (select(.status == 500 and .error == "NeonDbError" and .sqlstate == null) | "large-record"),
  (select(.status == 500 and .settings == null and (.error != "NeonDbError" or .sqlstate)) | "bug"),
  (select(.status == 503 and .sqlstate == "57014") | "slow-statement"),
  (select(.status == 503 and (.sqlstate | IN("28P01", "28000", "3D000"))) | "database-login"),
  (select(.status == 503 and .sqlstate == "55000") | "database-closed"),
  (select(.status == 503 and .sqlstate == "SR001") | "replica"),
  (select(.status == 503 and .sqlstate == "53300") | "connections"),
  (select(.status == 503 and .sqlstate == null and (.route | startswith("/auth") | not)) | "database"),
  (select(.status == 503 and .sqlstate == null and (.route | startswith("/auth"))) | "auth"),
  (select(.event == "watch" and ([.alert, .heartbeat, .summary_webhook, .summary_email] | any(. != null and . != "delivered"))) | "undelivered"),
  (select(.event == "watch" and (.sqlstate or .error)) | "watch"),
  (select(.event == "access" or (.event == "watch" and .audit)) | "access"),
  (select(.event == "stream") | "stream"),
  (select(.route == "/mcp" and .status == 200 and (.sqlstate or .error)) | "tool"),
  (select(.route == "/auth/refresh" and .status == 401) | "renewal"),
  (select(.status == 429 and .user) | "busy-user \(.user)");

# From how many lines in 15 minutes an alarm wakes somebody now, or is read on the next working day.
def thresholds:
  {
    settings: {now: 1},
    bug: {now: 20, today: 1},
    "large-record": {today: 1},
    "slow-statement": {now: 50, today: 5},
    "database-login": {now: 1},
    "database-closed": {now: 1},
    replica: {now: 1},
    connections: {now: 20, today: 1},
    database: {now: 20, today: 1},
    auth: {now: 5, today: 1},
    undelivered: {today: 1},
    watch: {now: 1},
    access: {today: 1},
    stream: {today: 20},
    tool: {now: 50, today: 1},
    renewal: {today: 20},
    "busy-user": {today: 100},
  };

[inputs | fromjson? | objects | select(.level) | alarms]
| group_by(.)[]
| length as $lines
| .[0] as $name
| thresholds[$name | split(" ")[0]]
| if .now and $lines >= .now then "now" elif .today and $lines >= .today then "today" else empty end
| "\(.)\t\($name)\t\($lines)"
