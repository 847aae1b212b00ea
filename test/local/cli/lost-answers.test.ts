import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { pickCluster } from '../../../local/cli/pick-cluster.ts';
import { runCommand } from '../../../local/cli/run-command.ts';
import type { FaultOrder } from '../../../local/openshift/api-server/faults.ts';
import { machineConfigPools } from '../../../local/openshift/api-server/resource-types.ts';
import { referenceSteps } from '../../functions/core/sequences/sequence-builder.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeEach(async () => {
  demo = await demoCluster();
});

afterEach(() => demo.close());

/** Status, and all that was said. */
async function run(line: readonly string[]) {
  let said = '';
  const status = await runCommand(line, {
    ...demo.surroundings,
    out: (text) => {
      said += text;
    },
    note: (text) => {
      said += `${text}\n`;
    },
  });
  return { status, said };
}

const worker = () => JSON.stringify(demo.world.openshift.registry.get(machineConfigPools, 'worker'));

const because = ['--pool', 'worker', '--reason', 'disks are swapped'];
const commands: Readonly<Record<string, readonly string[]>> = {
  hold: ['hold', ...because, '--for', '1h'],
  resume: ['resume', ...because],
  freeze: ['freeze', ...because, '--for', '1h'],
  thaw: ['thaw', ...because],
  emergency: ['emergency', ...because, '--for', '1h'],
};

/** What there is to end. */
const before: Readonly<Record<string, string>> = { resume: 'hold', thaw: 'freeze', emergency: 'freeze' };

/** Patches of the pool fail once. */
function failOnce(order: Pick<FaultOrder, 'fault' | 'afterwards'>): void {
  const matches: FaultOrder['matches'] = ({ verb, plural, name }) =>
    verb === 'patch' && plural === 'machineconfigpools' && name === 'worker';
  demo.world.openshift.faults.inject({ ...order, matches, times: 1 });
}

async function prepared(name: string): Promise<string> {
  const first = before[name];
  if (first !== undefined) expect(await run(commands[first] ?? [])).toMatchObject({ status: 0 });
  return worker();
}

describe.each(Object.keys(commands))('poolkeeper %s', (name) => {
  test('[N-29] [N-21] [S0-9] whose answer is lost never says that the pool is unchanged', async () => {
    const was = await prepared(name);
    failOnce({ fault: { kind: 'reset' }, afterwards: true });

    const { status, said } = await run(commands[name] ?? []);

    expect(worker()).not.toBe(was);
    expect(said).toContain('pool worker may have been changed or not; look before you repeat it: ');
    expect(said).not.toContain('was not changed');
    expect(status).toBe(1);
  });

  test('[N-29] that the cluster refuses does not say that the pool may have changed', async () => {
    const was = await prepared(name);
    failOnce({ fault: { kind: 'status', code: 403, message: 'not yours' } });

    const { status, said } = await run(commands[name] ?? []);

    expect(worker()).toBe(was);
    expect(said).toContain('not yours');
    expect(said).not.toContain('may have been changed');
    expect(status).not.toBe(0);
  });
});

/** poolkeeper.yaml with run `upgrade` and sequence `virt`. */
async function withRecords(): Promise<string> {
  const { connection } = await pickCluster({}, demo.surroundings);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'poolkeeper' } };
  await connection.client.post('/api/v1/namespaces', {}, namespace);
  await connection.close();
  const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'move', image: 'move' }] } } };
  const upgrade = {
    cluster: 'prod',
    mode: 'turns',
    mutexRules: [{ name: 'move' }],
    mutexTargets: [{ name: 'workers' }],
  };
  const config = join(demo.folder, 'steered.yaml');
  const text = {
    clusters: [{ name: 'prod', api: { server: demo.world.openshift.url, tokenSecret: 'prod-token' } }],
    nodeTurns: {
      rules: { move: { jobSpec } },
      targets: { workers: { machineConfigPools: ['worker'] } },
      runs: { upgrade },
    },
    sequences: { virt: { clusters: ['prod'], steps: referenceSteps } },
  };
  await writeFile(config, stringify(text, { aliasDuplicateObjects: false }));
  return config;
}

describe.each([
  ['run upgrade', ['run', 'abort', 'upgrade']],
  ['sequence virt', ['sequence', 'abort', 'virt']],
  ['sequence virt', ['sequence', 'skip', 'virt', 'storage@prod']],
])('of %s, poolkeeper %s', (what, words) => {
  const matches: FaultOrder['matches'] = ({ verb, plural }) =>
    ['create', 'patch', 'update'].includes(verb) && plural === 'configmaps';

  test('[N-29] [N-22] whose answer is lost says that it may have been done', async () => {
    const config = await withRecords();
    demo.world.openshift.faults.inject({ fault: { kind: 'reset' }, afterwards: true, matches, times: 1 });

    const { status, said } = await run([...words, '--reason', 'wrong night', '--config', config]);

    expect(said).toContain(`${what} may have been changed or not; look before you repeat it: `);
    expect(status).toBe(1);
  });

  test('[N-29] that the cluster refuses does not say that it may have been done', async () => {
    const config = await withRecords();
    const fault = { kind: 'status', code: 403, message: 'not yours' } as const;
    demo.world.openshift.faults.inject({ fault, matches, times: 1 });

    const { status, said } = await run([...words, '--reason', 'wrong night', '--config', config]);

    expect(said).toContain('not yours');
    expect(said).not.toContain('may have been changed');
    expect(status).toBe(2);
  });
});
