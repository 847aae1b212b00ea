import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { pickCluster } from '../../../local/cli/pick-cluster.ts';
import { runCommand } from '../../../local/cli/run-command.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeAll(async () => {
  demo = await demoCluster();
  const { connection } = await pickCluster({}, demo.surroundings);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'poolkeeper' } };
  await connection.client.post('/api/v1/namespaces', {}, namespace);
  await connection.close();
});
afterAll(() => demo.close());

const prod = 'https://api.prod.example.com:6443';
const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'move', image: 'move' }] } } };
const upgrade = {
  cluster: 'prod',
  mode: 'turns',
  mutexRules: [{ name: 'move' }],
  mutexTargets: [{ name: 'workers' }],
};
const nodeTurns = {
  rules: { move: { jobSpec } },
  targets: { workers: { machineConfigPools: ['worker'] } },
  runs: { upgrade },
};
const sequences = { upgrade: { clusters: ['prod'], steps: { workers: { kind: 'pool', name: 'worker', wave: 1 } } } };

/** A command about what cluster `prod` keeps, with the context of the demo's cluster. */
async function typed(kind: string, words: readonly string[], servers: object, contexts: Record<string, string> = {}) {
  const config = join(demo.folder, 'records.yaml');
  const kubeconfig = join(demo.folder, 'several');
  const clusters = Object.entries(servers).map(([name, server]) => ({ name, api: { server, tokenSecret: 'A' } }));
  await writeFile(config, stringify({ clusters, nodeTurns, sequences }, { aliasDuplicateObjects: false }));
  const own = parse(await readFile(demo.kubeconfig, 'utf8'));
  for (const [name, server] of Object.entries(contexts)) {
    own.clusters.push({ name, cluster: { server } });
    own.contexts.push({ name, context: { cluster: name, user: own.contexts[0].context.user } });
  }
  await writeFile(kubeconfig, stringify(own));
  const [out, notes]: [string[], string[]] = [[], []];
  const status = await runCommand([kind, ...words, '--config', config, '--kubeconfig', kubeconfig], {
    ...demo.surroundings,
    out: (text) => out.push(text),
    note: (text) => notes.push(text),
  });
  const { connection } = await pickCluster({}, demo.surroundings);
  const path = `/api/v1/namespaces/poolkeeper/configmaps/poolkeeper-${kind}-upgrade`;
  const written = await connection.client.get(path);
  if (written !== undefined) await connection.client.remove(path);
  await connection.close();
  return { status, out: out.join(''), notes: notes.join('\n'), isWritten: written !== undefined };
}

function here(): string {
  return demo.world.openshift.url;
}

const pause = ['pause', 'upgrade', '--reason', 'wrong night'];

describe.each(['run', 'sequence'])('[C-13] %s with the context of another cluster', (kind) => {
  test.each([pause, ['status', 'upgrade']])(
    '%s is refused where poolkeeper.yaml has that cluster',
    async (...words) => {
      const done = await typed(kind, words, { prod, test: `${here()}/` });

      expect(done).toMatchObject({ status: 2, out: '', isWritten: false });
      expect(done.notes).toContain(`, which is cluster test, but this is about cluster prod at ${prod}; --context`);
    },
  );

  test('pause is refused where the kubeconfig has the right one, which is named', async () => {
    const done = await typed(kind, pause, { prod }, { 'admin@prod': prod });

    expect(done).toMatchObject({ status: 2, out: '', isWritten: false });
    expect(done.notes).toContain('; use --context admin@prod');
  });

  test('pause is noted down where nobody can tell, and said to be in doubt', async () => {
    const done = await typed(kind, pause, { prod: 'https://kubernetes.default.svc' });

    expect(done).toMatchObject({ status: 0, isWritten: true });
    expect(done.notes).toMatch(
      /upgrade had no record there: context \S+ leads to \S+, and .* If these are two clusters/,
    );
  });

  test('pause is done without a doubt where it is the right one', async () => {
    const done = await typed(kind, pause, { prod: here(), test: prod });

    expect(done).toMatchObject({ status: 0, isWritten: true });
    expect(done.notes).not.toContain('there: context');
  });
});

test.each(['run', 'sequence'])(
  '[S2-11] [S4-20] [N-22] who pauses a %s that nobody has looked at is told to go by the file that is deployed',
  async (kind) => {
    const done = await typed(kind, pause, { prod: here() });

    expect(done).toMatchObject({ status: 0, isWritten: true });
    expect(done.notes).toBe(
      `Poolkeeper has written no record of ${kind} upgrade in namespace poolkeeper yet: if this file is not deployed, say it by the one that is, with --config.`,
    );
  },
);
