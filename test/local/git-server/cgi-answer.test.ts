import { expect, test } from 'vitest';
import { cgiAnswer } from '../../../local/git-server/cgi-answer.ts';

test('[N-32] status, headers and bytes of a CGI program become an answer', async () => {
  const body = Buffer.from([0, 255, 13, 10, 13, 10, 1]);
  const answer = cgiAnswer(
    Buffer.concat([
      Buffer.from('Status: 403 Forbidden\r\nContent-Type: application/x-git\r\nPragma: no-cache\r\n\r\n'),
      body,
    ]),
  );

  expect(answer.status).toBe(403);
  expect(answer.headers.get('content-type')).toBe('application/x-git');
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(body);
});

test('[N-32] without a status it is 200, and without an answer 502', async () => {
  expect(cgiAnswer(Buffer.from('Expires: never\r\n\r\nok')).status).toBe(200);
  expect(cgiAnswer(Buffer.from('garbage')).status).toBe(502);
});
