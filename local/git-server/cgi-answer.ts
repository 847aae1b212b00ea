/** The answer of a program that speaks CGI: header lines, an empty line, the body. Source: RFC 3875, section 6. */
export function cgiAnswer(written: Buffer): Response {
  const end = written.indexOf('\r\n\r\n');
  const head = end === -1 ? '' : written.subarray(0, end).toString('latin1');
  const headers = new Headers();
  let status = end === -1 ? 502 : 200;
  for (const line of head.split('\r\n').filter((each) => each.includes(':'))) {
    const name = line.slice(0, line.indexOf(':')).trim().toLowerCase();
    const value = line.slice(line.indexOf(':') + 1).trim();
    if (name === 'status') status = Number.parseInt(value, 10);
    else headers.append(name, value);
  }
  return new Response(Uint8Array.from(end === -1 ? Buffer.from('no answer\n') : written.subarray(end + 4)), {
    status,
    headers,
  });
}
