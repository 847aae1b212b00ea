import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClusterConnection, connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { NodeTurns } from '../../../functions/core/configuration/node-turns.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import type { JobCheck } from '../../../functions/ports/node-turns.ts';
import { checkRuns } from '../../../local/cli/doctor/check-runs.ts';
import { pickCluster } from '../../../local/cli/pick-cluster.ts';
import { aConnected } from './a-connected.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

type Data = Readonly<Record<string, unknown>>;

const container = { name: 'move', image: 'registry.example.com/move' };

function ofPod(more: Data = {}, spec: Data = {}): Data {
  return { ...spec, template: { spec: { restartPolicy: 'Never', containers: [container], ...more } } };
}

function turnsWith(jobSpec: Data, run: Data = {}, pools: readonly string[] = ['worker']) {
  return NodeTurns.parse({
    rules: { 'databases/move': { jobSpec }, 'databases/silence': { cleanUpJobSpec: ofPod() } },
    targets: { workers: { machineConfigPools: pools } },
    runs: {
      upgrade: {
        cluster: 'prod',
        mode: 'turns',
        mutexRules: ['move', 'silence'].map((name) => ({ name, namespace: 'databases' })),
        mutexTargets: [{ name: 'workers' }],
        ...run,
      },
    },
  });
}

let demo: DemoCluster;
let connection: ClusterConnection;
beforeAll(async () => {
  demo = await demoCluster();
  ({ connection } = await pickCluster({}, demo.surroundings));
  for (const name of ['databases', 'poolkeeper'])
    await connection.client.post('/api/v1/namespaces', {}, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
});
afterAll(async () => {
  await connection.close();
  await demo.close();
});

async function wrongOf(turns: NodeTurns, over: Partial<ClusterConnection> = {}): Promise<readonly string[]> {
  const findings = await checkRuns(aConnected(), turns, { ...connection, ...over });
  return findings.flatMap(({ state, what }) => (state === 'ok' ? [] : [what]));
}

describe('the doctor on runs', () => {
  test('[S4-2] tries each Job with the account that will make it, and nothing is made', async () => {
    const findings = await checkRuns(aConnected(), turnsWith(ofPod()), connection);

    expect(findings.map(({ state, what }) => [state, what])).toEqual([
      ['ok', expect.stringMatching(/^runs: all \d+ rights that they need$/)],
      ['ok', 'run upgrade: databases/move would be accepted in databases'],
      ['ok', 'run upgrade: the clean-up of databases/silence would be accepted in databases'],
    ]);
    expect(await connection.client.list('/apis/batch/v1/namespaces/databases/jobs', { pageSize: 10 })).toEqual([]);
  });

  test('[S4-2] says field and message of what the API server refuses, and where a namespace is missing', async () => {
    expect(await wrongOf(turnsWith(ofPod({}, { parallelism: -1 })))).toEqual([
      expect.stringMatching(/^run upgrade: databases\/move: .*422, .*spec\.parallelism: Invalid value: -1/),
    ]);
    expect(await wrongOf(turnsWith(ofPod(), { namespace: 'poolkeeper' }, ['worker', 'none']))).toEqual([
      'run upgrade: pool none does not exist',
    ]);
  });

  test('[S4-33] [S4-2] reads a rule that stands in the cluster, and tries its Jobs or says what is wrong with it', async () => {
    const turns = NodeTurns.parse({
      rules: { 'databases/move': { fromCluster: true } },
      targets: { workers: { machineConfigPools: ['worker'] } },
      runs: {
        upgrade: {
          cluster: 'prod',
          mode: 'turns',
          mutexRules: [{ name: 'move', namespace: 'databases' }],
          mutexTargets: [{ name: 'workers' }],
        },
      },
    });
    const absent = await wrongOf(turns);
    const rule = (jobSpec: Data) => ({
      apiVersion: 'openshift-optional.skrzypek.io/v1alpha1',
      kind: 'MutexRule',
      metadata: { name: 'move', namespace: 'databases' },
      spec: { type: 'kubernetes', jobSpec },
    });
    const rules = '/apis/openshift-optional.skrzypek.io/v1alpha1/namespaces/databases/mutexrules';
    await connection.client.post(rules, {}, rule(ofPod({ hostPID: true })));
    const refused = await wrongOf(turns);
    await connection.client.remove(`${rules}/move`, {}, {});
    await connection.client.post(rules, {}, rule(ofPod()));
    const findings = await checkRuns(aConnected(), turns, connection);

    expect(absent).toEqual(['run upgrade: MutexRule databases/move is not there, or the cluster does not serve it']);
    expect(refused).toEqual([expect.stringContaining('MutexRule databases/move: spec.jobSpec.template.spec.hostPID')]);
    expect(findings.map(({ what }) => what)).toContain('run upgrade: databases/move would be accepted in databases');
  });

  test('[S4-26] of missing rights names each, and the command that prints them as YAML', async () => {
    const answer: JobCheck = { kind: 'forbidden', why: 'jobs.batch is forbidden' };
    const client = { ...connection.client, post: async () => ({ status: { allowed: false } }) };
    const jobs = { ...connection.nodeTurns.jobs, checkJob: async () => answer };
    const findings = await checkRuns(aConnected(), turnsWith(ofPod()), {
      ...connection,
      client,
      nodeTurns: { ...connection.nodeTurns, jobs },
    });

    expect(findings[0]?.what).toBe(
      'runs: the account may not patch nodes; create jobs in databases; get jobs in databases; list jobs in databases; get pods/log in databases; get configmaps poolkeeper-run-upgrade in poolkeeper; patch configmaps poolkeeper-run-upgrade in poolkeeper; create configmaps in poolkeeper',
    );
    expect(findings.map(({ remedy }) => remedy)).toEqual(
      findings.map(() => expect.stringContaining('manifests --runs poolkeeper.yaml --cluster prod --level observe')),
    );
  });

  test('[S4-7] of mode canary says why its pool will not do', async () => {
    expect(await wrongOf(turnsWith(ofPod(), { mode: 'canary', canary: { name: 'canary' } }))).toEqual([
      'run upgrade: pool canary does not exist',
    ]);
  });

  test('[S4-7] [N-29] a pool that cannot be parsed is not said not to exist', async () => {
    const listPools = async () => ({
      items: [],
      unreadable: [{ kind: 'MachineConfigPool', namespace: '', name: 'worker', why: 'spec.nodeSelector: Near' }],
    });

    const found = await wrongOf(turnsWith(ofPod()), { pools: { ...connection.pools, listPools } });

    expect(found).toEqual(['run upgrade: pool worker cannot be parsed, so nothing is known of its nodes']);
  });

  test('[S4-6] [S4-7] of a canary that will do says so, and which nodes the operator has left labels on', async () => {
    const { items: pools } = await connection.pools.listPools();
    const { items: nodes } = await connection.pools.listNodes({});
    const [first] = nodes.filter(({ labels }) => 'node-role.kubernetes.io/worker' in labels);
    const worker = pools.find(({ name }) => name === 'worker');
    if (first === undefined || worker === undefined) throw new Error('there is no worker');
    const key = 'mutexrule.openshift-optional.skrzypek.io/move.databases';
    const hash = worker.target.name.split('-').at(-1);
    const canary = {
      ...worker,
      name: 'canary',
      target: { name: `rendered-canary-${hash}`, sources: [] },
      nodeSelector: { ...worker.nodeSelector, matchExpressions: [{ key: 'isCanary', operator: 'Exists' as const }] },
    };
    const seen = {
      ...connection.pools,
      listPools: async () => ({ items: [...pools, canary], unreadable: [] }),
      listNodes: async () => ({
        items: nodes.map((node) => (node === first ? { ...node, labels: { ...node.labels, [key]: '' } } : node)),
        unreadable: [],
      }),
    };
    const turns = turnsWith(ofPod(), { mode: 'canary', canary: { name: 'canary' } });

    const findings = await checkRuns(aConnected(), turns, { ...connection, pools: seen });

    expect(findings.slice(-2).map(({ state, what }) => `${state} ${what}`)).toEqual([
      `warning runs: ${first.name} has labels of rules already`,
      expect.stringMatching(/^ok run upgrade: pool canary would take its \d+ nodes, and no other$/),
    ]);
  });

  test('is silent where there are no runs, and says nothing where nobody can say', async () => {
    expect(await checkRuns(aConnected(), undefined, connection)).toEqual([]);
    const away = connectCluster({
      server: 'http://127.0.0.1:9',
      token: async () => '',
      userAgent: 'test',
      clock: demo.surroundings.now,
      deadline: (ms) => AbortSignal.timeout(ms),
      yieldToEventLoop: async () => undefined,
    });
    await expect(checkRuns(aConnected(), turnsWith(ofPod()), away)).rejects.toThrow(Transient);
    await away.close();
  });
});
