"""Python's json and a loop over a log in the base form: what the original prototype's style costs. Prints one JSON object."""
import json, sys, time
from datetime import datetime


def main(path):
    began, table, records = time.process_time(), {}, 0
    with open(path, "rb") as f:
        for line in f:
            e = json.loads(line)
            datetime.fromisoformat(e["timestamp"])
            if e["event_type"] not in ("retry", "connect", "disconnect"):
                raise ValueError(line)
            s = table.get(e["client_ip"])
            if s is None:
                s = table[e["client_ip"]] = [0, 0, 0, 0]
            s[0] += 1
            x = e.get("retry_interval_ms")
            if x is not None:
                s[1] += 1
                s[2] += x
                s[3] += x * x
            records += 1
    jittery = sum(1 for _, n, s, q in table.values() if n == 0 or n > 1 and not (s > 0 and 400 * (n * q - s * s) < s * s))
    cpu = time.process_time() - began
    print(json.dumps({"version": "Python " + sys.version.split()[0], "cpu": cpu, "records": records, "clients": len(table), "jittery": jittery}))


main(sys.argv[1])
