"""DuckDB's read_json with GROUP BY over a log in the base form. Arguments: FILE [THREADS]. Prints one JSON object."""
import json, sys, time
import duckdb


def main(path, threads=1):
    db = duckdb.connect()
    db.execute(f"SET threads = {int(threads)}")
    began, wall = time.process_time(), time.monotonic()
    records, clients, jittery = db.execute("""
        SELECT sum(total), count(*), sum(CASE WHEN n = 0 OR n > 1 AND NOT (s > 0 AND 400 * (n * q - s * s) < s * s) THEN 1 ELSE 0 END) FROM (
          SELECT client_ip, count(*) AS total, count(retry_interval_ms) AS n, sum(retry_interval_ms)::HUGEINT AS s,
                 sum(retry_interval_ms::HUGEINT * retry_interval_ms) AS q, max(timestamp) AS last, count(event_type) AS events
          FROM read_json(?, format = 'newline_delimited', columns = {timestamp: 'TIMESTAMP', client_ip: 'VARCHAR', event_type: 'VARCHAR', retry_interval_ms: 'BIGINT'})
          GROUP BY client_ip)""", [path]).fetchone()
    print(json.dumps({"version": "DuckDB " + duckdb.__version__, "cpu": time.process_time() - began, "wall": time.monotonic() - wall,
                      "records": int(records), "clients": int(clients), "jittery": int(jittery)}))


main(*sys.argv[1:])
