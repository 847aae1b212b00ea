import { expect, test } from 'vitest';
import { checkService } from '../../../local/cli/doctor/check-service.ts';
import { startStub } from '../../functions/adapters/stub-server.ts';

interface Answered {
  readonly clusters: readonly object[];
  readonly unread?: readonly string[];
}

/** What the doctor says of the clusters of a file, about a service that answers so. */
async function look(named: readonly string[] | undefined, { clusters, unread = [] }: Answered) {
  const stub = await startStub(({ path }) => ({ body: path === '/status' ? { clusters, unread } : {} }));
  const findings = await checkService(stub.url, { github: undefined, status: undefined }, named);
  return { url: stub.url, findings: findings.filter(({ about }) => about !== 'service') };
}

const seen = { name: 'prod-eu-1', configured: true, sight: 'seen', readAt: '2026-03-02T08:00:50Z' };

test('[C-13] [N-29] the doctor names clusters of the file that the service does not have, as before it is deployed', async () => {
  const { findings, url } = await look(['prod-eu-1', 'prod-us-1'], { clusters: [seen] });

  expect(findings).toEqual([
    { about: 'prod-eu-1', state: 'ok', what: 'read at 2026-03-02T08:00:50Z' },
    {
      about: 'prod-us-1',
      state: 'wrong',
      what: expect.stringContaining(`not known to the service at ${url}`),
      remedy: expect.stringContaining('deploy'),
    },
  ]);
});

test('[C-13] [N-29] the doctor does not take a cluster for known that the service shows as it was before it was taken out', async () => {
  const { findings } = await look(['prod-eu-1'], { clusters: [{ ...seen, configured: false, sight: 'stale' }] });

  expect(findings).toContainEqual(
    expect.objectContaining({ state: 'wrong', what: expect.stringContaining('not known to the service') }),
  );
});

test('[C-13] [N-16] the doctor says of no cluster that it is not known where the service could not read any', async () => {
  const { findings } = await look(['prod-eu-1'], { clusters: [], unread: ['clusters'] });

  expect(findings).toEqual([
    { about: 'prod-eu-1', state: 'unchecked', what: expect.stringContaining('could not read its clusters') },
  ]);
});

test('[C-13] the doctor asks the service for no cluster where the file cannot be read', async () => {
  const { findings } = await look(undefined, { clusters: [seen] });

  expect(findings.map(({ state }) => state)).toEqual(['ok']);
});
