import { describe, expect, it } from 'vitest';
import { WorkEvent } from '../../events/index.ts';
import { receiveArgocd } from '../../functions/receive-argocd/receive-argocd.ts';
import { receiveCluster } from '../../functions/receive-cluster/receive-cluster.ts';
import { receiveGithub } from '../../functions/receive-github/receive-github.ts';
import type { WebHandler } from '../../functions/shell/answer.ts';
import { anyText, fc } from '../property.ts';
import { githubHeaders, post, receiverPorts } from './receiving.ts';

type Ports = ReturnType<typeof receiverPorts>;

const bearer = { authorization: 'Bearer new-secret' };
const contentType = fc.constantFrom(
  'application/json',
  'application/cloudevents+json',
  'application/cloudevents-batch+json',
  'application/cloudevents',
  '',
);

/** JSON with the keys that the receivers read, in places where they may or may not belong. */
const likely = fc.dictionary(
  fc.constantFrom(
    ...['specversion', 'type', 'id', 'source', 'data', 'ref', 'commits', 'repository', 'deleted', 'version', 'alerts'],
    ...['kind', 'name', 'subject', 'cluster', 'application', 'operation', 'sync', 'labels', '__proto__'],
  ),
  fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('1.0', '4', 'poolkeeper.argocd.operation.v1', 'dev.knative.apiserver.ref.update', 'argocd/hub'),
  ),
);
const body = fc.oneof(
  fc.json(),
  anyText(),
  likely.map((value) => JSON.stringify(value)),
);

describe('a known sender may send anything', () => {
  it.each<[string, (ports: Ports) => WebHandler, (text: string) => Promise<Record<string, string>>]>([
    ['[C-1] receive-github', receiveGithub, (text) => githubHeaders({ body: text })],
    ['[C-2] receive-argocd', receiveArgocd, async () => bearer],
    ['[C-3] receive-cluster', receiveCluster, async () => bearer],
  ])('%s answers with words, never with a failure, and queues nothing but whole events', async (_name, make, sign) => {
    await fc.assert(
      fc.asyncProperty(body, contentType, async (text, type) => {
        const ports = receiverPorts();
        const headers = { ...(await sign(text)), ...(type === '' ? {} : { 'content-type': type }) };

        const response = await make(ports)(post('/x', text, headers));

        const answer: unknown = await response.json();
        expect(response.status).toBeLessThan(500);
        expect(answer).toMatchObject({ reason: expect.stringMatching(/./), requestId: expect.any(String) });
        for (const { event } of ports.work.sent) WorkEvent.parse(event);
      }),
      { numRuns: 300 },
    );
  });
});
