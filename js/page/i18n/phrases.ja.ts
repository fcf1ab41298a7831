// Phrases of the core in Japanese.

/** English to Japanese. */
export const phrases: Record<string, string> = {
  // who closed, what happened
  client: "クライアント", server: "サーバー", proxy: "プロキシ", proxy_timeout: "プロキシのタイムアウト", takeover: "別の接続", unknown: "不明",
  attempt: "試行", close: "終了", ok: "成功", refused: "拒否", limited: "制限", upstream: "上流の失敗", aborted: "クライアントが中断", tls: "TLS の失敗",
  // why a record was skipped
  "not valid JSON": "正しい JSON ではない", "not a JSON object": "JSON オブジェクトではない", "line does not fit the format": "行が形式に合わない", "timestamp cannot be read": "時刻を読めない",
  "timestamp does not tell the day from the month": "時刻の日と月の順が分からない",
  "several lines in one": "複数の行が一つになっている",
  "no timestamp": "時刻がない", "unknown event type": "未知のイベント種別", "retry interval cannot be read": "再試行間隔を読めない", "client cannot be read": "クライアントを読めない",
  "duration cannot be read": "時間の長さを読めない", "status cannot be read": "ステータスを読めない", "line longer than the limit": "行が上限より長い", "cut off at the end of the input": "入力の終わりで切れている", "NUL bytes": "NUL バイト",
  ignored: "WebSocket と関係がない",
  // blind spots
  "a line is written when a connection ends, so sessions still open at the end are not in the log.": "行は接続が終わるときに書かれるため、最後にまだ開いていたセッションはログにありません。",
  "stamps are whole seconds, so waits are known to about a second.": "時刻が秒単位なので、待ち時間は約 1 秒の精度でしか分かりません。",
  "filters.statusCodes or filters.minDuration in the configuration may have dropped lines.": "設定の filters.statusCodes や filters.minDuration で行が除かれている可能性があります。",
  "ends of sessions are not logged, so lifetimes, and waits after an end, are unknown.": "セッションの終わりが記録されないため、長さと終了後の待ち時間は分かりません。",
  "every connection counts as a WebSocket, and a handshake that the server refused as a short session.": "すべての接続を WebSocket とみなし、サーバーが拒否したハンドシェイクは短いセッションに見えます。",
  "user agents are not logged, so versions cannot be told apart.": "ユーザーエージェントが記録されないため、版を区別できません。",
  "stamps have no zone; they were read in the one given, or as UTC.": "時刻にタイムゾーンがなく、指定されたもの、または UTC として読みました。",
  "it repeats attempts that the access log tells, so nothing of it is counted: give the access log too.": "アクセスログと同じ試行の繰り返しなので、数えません。アクセスログも一緒に読み込んでください。",
  "the stamp is in Django's TIME_ZONE: say it with --tz.": "時刻は Django の TIME_ZONE です。タイムゾーンを指定してください。",
  "lines have no duration, so it is unknown when an established connection began.": "行に所要時間がないため、確立した接続がいつ始まったか分かりません。",
  "sockets still open when the server stops are never logged.": "サーバー停止時に開いていたソケットは記録されません。",
  "lines have no duration, so it is unknown when an established connection ended.": "行に所要時間がないため、確立した接続がいつ終わったか分かりません。",
  "a client that left during the handshake looks like a success.": "ハンドシェイク中に去ったクライアントが成功に見えます。",
  "the client may see an end up to 1 s after the log has it.": "クライアントが終わりを知るのは、ログより最大 1 秒遅いことがあります。",
  "delivery is best effort: lines may be missing.": "配信は最善努力で、行が欠けることがあります。",
  "TLS failures are in the connection log, not here.": "TLS の失敗は接続ログにあり、ここにはありません。",
  "delivery is late and unordered.": "配信は遅れ、順序も保証されません。",
  "refused handshakes are not logged.": "拒否されたハンドシェイクは記録されません。",
  "refused handshakes print 101 too: which attempts succeeded is unknown.": "拒否されたハンドシェイクも 101 と書かれるため、どの試行が成功したか分かりません。",
  "an attempt that made the application raise has no address.": "アプリケーションが例外を出した試行にはアドレスがありません。",
  "a failed handshake has no address.": "失敗したハンドシェイクにはアドレスがありません。",
  "without -D only refused handshakes are logged.": "-D なしでは拒否されたハンドシェイクだけが記録されます。",
  "clients are not named.": "クライアントの名前がありません。",
  "closes carry no session id: lifetimes are unknown.": "終了にセッション ID がなく、長さが分かりません。",
  "a refused WebSocket prints nothing.": "拒否された WebSocket は何も書かれません。",
  "the stamp has no date.": "時刻に日付がありません。",
  "at a stop the lines of open sockets may be lost.": "停止時、開いているソケットの行が失われることがあります。",
  "websocket_analytics alone has no refused handshakes.": "websocket_analytics だけでは拒否されたハンドシェイクが分かりません。",
  "the disconnect event is sent on best effort: a missing one is not an open socket.": "切断イベントは最善努力で送られるため、欠けていても開いたままとは限りません。",
  "that the stamp is the start of a WebSocket was not verified.": "時刻が WebSocket の開始であることは確かめられていません。",
  "the log may be sampled: counts are lower bounds.": "ログが間引かれている可能性があり、数は下限です。",
  "a close does not name the client's address.": "終了の行にクライアントのアドレスがありません。",
  "at the level info accepted connections are not logged.": "info レベルでは受け入れた接続が記録されません。",
  "which handshakes were refused is not told with the attempt: outcomes are unknown.": "どのハンドシェイクが拒否されたか試行の行からは分からず、結果は不明です。",
  "only what the application logs can be seen; HTTP middleware does not see WebSocket upgrades.": "見えるのはアプリケーションが記録したものだけで、HTTP ミドルウェアは WebSocket への切り替えを見ません。",
  // warnings
  "More than a fifth of the records could not be read; the figures describe the others.": "レコードの 5 分の 1 以上を読めませんでした。数値は残りについてのものです。",
  // what a recommendation was tried on
  "as asked": "指定どおり", "twice the clients": "クライアント数が 2 倍", "half the clients": "クライアント数が半分", "half the capacity, in front of a backlog of 20 s": "能力が半分で、待ち行列が 20 秒分",
  "30 s of outage that refuses": "30 秒間拒否する障害", "30 s of outage that hangs": "30 秒間応答しない障害", "outage, a backlog of 20 s and dear refusals together": "障害、20 秒分の待ち行列、高価な拒否が重なる",
  "a second drop of everybody half way": "途中で全員がもう一度切断",
  "unplanned: all drop at once": "予定外：全員が一度に切断", "unplanned, with the admission rate at the door": "予定外、入口で流量制限あり", "unplanned, 30 s of outage, with the admission rate": "予定外、30 秒の障害、流量制限あり", "the same, closed twice as fast": "同じく、2 倍の速さで閉じる",
  // names of formats
  "stormlint's base form": "stormlint の基本形式", "application log (JSON)": "アプリケーションログ（JSON）", "log in a layout of its own": "独自レイアウトのログ",
  "as --format says": "形式が指定された",
};

/** Phrases with something in them: the groups of the pattern fill $1, $2. */
export const patterns: [RegExp, string][] = [
  [/^it knows (\d+) of the (\d+) records below; the next best is (.+)$/, "下の $2 件のうち $1 件を読める（次の候補は $3）"],
  [/^it knows (\d+) of the (\d+) records below, and hardly better than (.+): say --format if that is what wrote the log$/, "下の $2 件のうち $1 件を読める（$3 とほぼ同じなので、違えば形式を選んでください）"],
  [/^it knows (\d+) of the (\d+) records below$/, "下の $2 件のうち $1 件を読める"],
  [/^Clients with more than (\d+) events: (\d+)\. .*$/, "イベントが $1 件を超えるクライアントが $2 台あります。最初の分だけを完全に保持しているため、最多分の値は下限です。"],
  [/^handshakes that reached it by another way than through (.+) are not counted\.$/, "$1 以外を通って届いたハンドシェイクは数えていません。"],
  [/^planned restart, closed over (.+)$/, "計画的な再起動、$1 かけて閉じる"],
];
