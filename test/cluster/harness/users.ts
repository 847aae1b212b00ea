import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import * as z from 'zod';
import { close, listen } from './loopback.ts';

/** Somebody the API server may meet. RBAC decides what they may do; the group `system:masters` may do everything. */
export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

const SignedUser = z.object({ name: z.string(), groups: z.array(z.string()) });
const TokenReview = z.object({ apiVersion: z.string(), spec: z.object({ token: z.string() }) });

/** A token that names its user and is signed with the laboratory's secret: any process of the laboratory can make
 *  one. */
export function userToken(user: User, secret: string): string {
  const payload = Buffer.from(JSON.stringify({ name: user.name, groups: user.groups ?? [] })).toString('base64url');
  return `${payload}.${sign(payload, secret)}`;
}

export interface TokenReviewer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The webhook the API server asks who a token belongs to. Loopback only. */
export async function startTokenReviewer(secret: string): Promise<TokenReviewer> {
  const server = createServer((request, response) => {
    readBody(request)
      .then((text) => {
        const review = TokenReview.parse(JSON.parse(text));
        const user = whose(review.spec.token, secret);
        const status =
          user === undefined
            ? { authenticated: false }
            : { authenticated: true, user: { username: user.name, groups: user.groups } };
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'TokenReview', status }));
      })
      .catch(() => response.writeHead(400).end());
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/`, stop: () => close(server) };
}

function whose(token: string, secret: string): z.infer<typeof SignedUser> | undefined {
  const [payload = '', signature = ''] = token.split('.');
  const expected = sign(payload, secret);
  if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
    return undefined;
  return SignedUser.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
}

function sign(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url');
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
