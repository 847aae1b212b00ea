import { expect, test } from 'vitest';
import { githubSignature } from '../../../local/run/github-signature.ts';

test("signs as GitHub's own example says, text and bytes alike", () => {
  const expected = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

  const signatures = ['Hello, World!', Buffer.from('Hello, World!')].map((body) =>
    githubSignature(body, "It's a Secret to Everybody"),
  );

  expect(signatures).toEqual([expected, expected]);
});
