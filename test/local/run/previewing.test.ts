import { tmpdir } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { noMetrics } from '../../../functions/shell/metric-names.ts';
import { startGithubApi } from '../../../local/github/github-api.ts';
import { createGitHost } from '../../../local/openshift/argocd/git-host.ts';
import { acceleratedClock } from '../../../local/run/accelerated-clock.ts';
import { compose } from '../../../local/run/compose.ts';
import { startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { fakeLogger } from '../../fakes/index.ts';
import { githubRequest } from '../../functions/receiving.ts';

let endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.reverse()) await end();
  endings = [];
});

test('[N-14] composed on one machine, a signed pull request becomes a status on its head', async () => {
  const origin = 'https://github.com';
  const host = createGitHost({ origin, now: () => new Date('2026-03-02T11:00:00Z') });
  const repository = host.createRepository({ owner: 'acme', name: 'platform', files: { 'README.md': 'nodes' } });
  const { after: head } = repository.push({ branch: 'topic', message: 'change', files: { 'README.md': 'more' } });
  const hub = await startGithubApi({ host, origin });
  const table = await startEmbeddedTable();
  endings.push(() => hub.close(), table.stop);
  hub.setPull({ repository: 'acme/platform', number: 12, head });
  const keeper = compose({
    configuration: {
      clusters: [],
      argocd: [],
      alerts: { targets: [], statusUrl: undefined },
      github: {
        api: hub.api,
        tokenSecret: 'token',
        hooks: [],
        readsChanges: false,
        preview: { clusterNames: 'hide', forks: 'status' },
      },
    },
    connections: new Map(),
    secrets: { read: async () => ['new-secret'] },
    table,
    clock: acceleratedClock(1),
    logger: fakeLogger(),
    metrics: noMetrics,
    outbox: tmpdir(),
  });
  endings.push(() => keeper.stop());
  const told = new Promise<void>((resolve) => hub.before(/^POST .*\/statuses\//, resolve));
  const payload = {
    action: 'opened',
    number: 12,
    pull_request: { state: 'open', draft: false, head: { sha: head }, base: { ref: 'main' } },
    repository: { full_name: 'acme/platform', html_url: 'https://github.com/acme/platform', default_branch: 'main' },
  };

  const request = await githubRequest({
    body: JSON.stringify(payload),
    headers: { 'x-github-event': 'pull_request' },
  });
  const response = await keeper.routes['* /github']?.(request);
  await told;

  expect(response?.status).toBe(202);
  await keeper.stop();
  expect(hub.statuses[0]?.body).toHaveProperty(
    'description',
    'Into main: No watched Application deploys this: no node is disrupted.',
  );
});
