import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { impact } from '../../../../local/cli/impact/impact.ts';
import { startStub } from '../../../functions/adapters/stub-server.ts';
import { aClone, anApplication, type Clone, pool } from './a-clone.ts';

let clone: Clone;

beforeEach(async () => {
  clone = await aClone('main');
});

afterEach(() => clone.remove());

const nonsense = { status: { operationState: { phase: 'Nonsense', startedAt: '2026-03-02T08:00:00Z' } } };
const tooMany = { sources: Array.from({ length: 201 }, () => ({ repoURL: 'https://github.com/a/b', path: 'x' })) };

function ofTenant({ spec, ...application }: ReturnType<typeof anApplication>, change: object = {}) {
  return { ...application, metadata: { ...application.metadata, namespace: 'tenant' }, spec: { ...spec, ...change } };
}

const statusAlone =
  'Application tenant/mine cannot be parsed at status.operationState.phase, and is judged by its spec alone';
const allOfIt =
  /Application tenant\/mine\W{1,13}(?:could not be judged: |why": ")?cannot be parsed at spec\.sources, and what that deploys is not known/;

test.each(['text', 'json', 'markdown'])(
  '[S1-15] [N-29] an Application of a tenant whose status cannot be parsed is named in %s, and stops nobody',
  async (output) => {
    await clone.record(anApplication('nodes'), ofTenant(anApplication('mine', { path: 'web' }, nonsense)));

    const { status, text } = await clone.predict('--from', 'main', '--output', output);

    expect(status).toBe(3);
    expect(text).toContain('openshift-gitops/nodes');
    expect(text.replaceAll('\\', '')).toContain(statusAlone);
    expect(text).not.toContain('could not be judged');
  },
);

test('[S1-15] [N-29] one that follows other files or another repository leaves a change harmless, and is named', async () => {
  await clone.record(anApplication('web', { path: 'web' }), ofTenant(anApplication('mine', { path: 'web' }, nonsense)));

  const { status, text } = await clone.predict('--from', 'main');

  expect(status).toBe(0);
  expect(text).toContain('No pool is re-rendered.');
  expect(text).toContain(statusAlone);
});

test('[S1-15] [N-29] one that deploys the change is judged by that, and what it manages is not known', async () => {
  await clone.record(anApplication('web', { path: 'web' }), ofTenant(anApplication('mine', {}, nonsense)));
  const known = await clone.predict('--from', 'main');
  clone.git('checkout', '-q', '-b', 'chart', 'main');
  await clone.write('nodes/Chart.yaml', 'name: a\n');
  await clone.write('nodes/values.yaml', 'a: 1\n');
  clone.git('add', 'nodes');
  clone.git('commit', '-q', '-m', 'chart');
  const rendered = await clone.predict('--from', 'main', '--to', 'chart');

  expect(known).toMatchObject({ status: 3, text: expect.stringContaining('tenant/mine) Pool worker') });
  expect(rendered).toMatchObject({ status: 3, text: expect.stringContaining('nodes/values.yaml: helm renders it') });
});

test.each(['text', 'json', 'markdown'])(
  '[S1-15] [N-29] one whose spec cannot be parsed may deploy any change that reaches nodes, in %s',
  async (output) => {
    await clone.record(anApplication('web', { path: 'web' }), ofTenant(anApplication('mine'), tooMany));

    const { status, text } = await clone.predict('--from', 'main', '--output', output);

    expect(status).toBe(3);
    expect(text).toMatch(allOfIt);
  },
);

test.each([
  ['README.md', 'No pool is re-rendered.'],
  ['web/a.yaml', 'what is unknown may do it'],
])('[S1-15] [N-29] of a change of %s it is named, and not counted', async (path, words) => {
  await clone.record(anApplication('web', { path: 'x' }), ofTenant(anApplication('mine'), tooMany));
  clone.git('checkout', '-q', '-b', 'other', 'main');
  await clone.write(path, 'a: b\n');
  clone.git('add', path);
  clone.git('commit', '-q', '-m', 'other');

  const { status, text } = await clone.predict('--from', 'main', '--to', 'other');

  expect(status).toBe(0);
  expect(text).toContain(words);
  expect(text).toMatch(allOfIt);
});

test('[S1-15] [N-29] with --everything, and without any other, it is named as well', async () => {
  await clone.record(ofTenant(anApplication('mine'), tooMany));

  for (const flags of [[], ['--everything']])
    expect(await clone.predict('--from', 'main', ...flags)).toMatchObject({
      status: 3,
      text: expect.stringMatching(/Pool worker.*Application tenant\/mine cannot be parsed/),
    });
});

test('[S1-15] [N-29] --cluster reads what deploys there or may, whatever a tenant writes or takes away', async () => {
  const elsewhere = { destination: { name: 'other' } };
  const items: Readonly<Record<string, readonly object[]>> = {
    'openshift-gitops': [anApplication('nodes')],
    tenant: [
      ofTenant(anApplication('mine', {}, nonsense)),
      ofTenant(anApplication('theirs', {}, nonsense), elsewhere),
      ofTenant(anApplication('anybodys'), { ...elsewhere, ...tooMany }),
    ],
  };
  const { flags, recording } = await served(items);

  const live = await clone.predict('--from', 'main', ...flags, '--record', recording);
  const recorded = await clone.predict('--from', 'main');

  for (const { status, text } of [live, recorded]) {
    expect(status).toBe(3);
    expect(text).toContain('(through openshift-gitops/nodes, tenant/mine) Pool worker');
    expect(text).toContain(`Application tenant/anybodys: cannot be parsed at spec.sources`);
    expect(text).toContain('Applications of namespace gone: cannot be listed');
    expect(text).toContain(statusAlone);
    expect(text).not.toContain('tenant/theirs');
  }
});

test.each([
  ['a text for a source', { source: 'nodes' }],
  ['no source among sources', { source: undefined, sources: [null, { repoURL: 'https://github.com/a/b', path: 'x' }] }],
  ['a text for its syncPolicy', { syncPolicy: 'hunter2' }],
  ['no repository', { source: { repoURL: 5, path: 'nodes', helm: { values: 'hunter2' } } }],
])('[S1-15] [N-29] --record keeps one with %s as one that cannot be parsed, and names it', async (_, change) => {
  const mine = ofTenant(anApplication('mine'), change);
  const { flags, recording } = await served({
    'openshift-gitops': [anApplication('web', { path: 'x' })],
    tenant: [mine],
  });
  const notes: string[] = [];

  await impact.run([...flags, '--record', recording], {
    out: () => undefined,
    note: (text) => notes.push(text),
    environment: { POOLKEEPER_TOKEN: 'token' },
    now: () => new Date('2026-03-02T08:01:00Z'),
  });
  const live = await clone.predict('--from', 'main', ...flags);
  const recorded = await clone.predict('--from', 'main');

  expect(notes.join('\n')).toMatch(
    /Application tenant\/mine cannot be parsed at spec.*Applications of namespace gone/s,
  );
  expect(await readFile(recording, 'utf8')).not.toContain('hunter2');
  for (const { status, text } of [live, recorded]) {
    expect(status).toBe(3);
    expect(text).toContain('Application tenant/mine: cannot be parsed at spec');
  }
});

/** A cluster whose Argo CD has these Applications, by namespace, of which `gone` may not be read. */
async function served(items: Readonly<Record<string, readonly object[]>>) {
  const stub = await startStub(({ path }) => {
    const [, namespace = '', plural = ''] = /(?:namespaces\/([^/]+)\/)?([^/]+)$/.exec(path) ?? [];
    if (namespace === 'gone' || plural === 'cluster') return { status: 403, body: {} };
    const listed = plural === 'machineconfigpools' ? [pool] : items[namespace];
    return { body: { metadata: {}, items: listed ?? [] } };
  });
  const api = { server: stub.url, tokenSecret: 'POOLKEEPER_TOKEN', skipTLSVerify: true };
  const argocd = [{ name: 'gitops', cluster: 'prod', namespaces: ['openshift-gitops', 'tenant', 'gone'] }];
  await clone.write('poolkeeper.yaml', JSON.stringify({ clusters: [{ name: 'prod', api }], argocd }));
  const recording = join(clone.folder, 'seen.json');
  const flags = ['--cluster', 'prod', '--config', join(clone.folder, 'poolkeeper.yaml')];
  return { flags, recording };
}
