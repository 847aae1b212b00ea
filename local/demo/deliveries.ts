import { randomUUID } from 'node:crypto';
import { githubSignature } from '../run/github-signature.ts';

/** Requests to Poolkeeper's public webhooks, signed as GitHub and Argo CD sign theirs. */
export interface Deliveries {
  push(payload: object): Promise<Delivered>;
  operation(event: object): Promise<Delivered>;
}

/** How Poolkeeper answered. */
export interface Delivered {
  readonly status: number;
  readonly text: string;
}

export function deliveriesTo(url: string, secrets: { readonly github: string; readonly argocd: string }): Deliveries {
  return {
    push: (payload) => {
      const body = JSON.stringify(payload);
      return post(`${url}/github`, body, {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/demo',
        'x-github-event': 'push',
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': githubSignature(body, secrets.github),
      });
    },
    operation: (event) =>
      post(`${url}/argocd`, JSON.stringify(event), {
        'content-type': 'application/cloudevents+json',
        authorization: `Bearer ${secrets.argocd}`,
      }),
  };
}

async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Delivered> {
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}
