import { afterEach, describe, expect, it } from 'vitest';
import { Window } from '../../../functions/core/configuration/window.ts';
import { nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { failures } from '../failing-calls.ts';
import { type RunLab, type RunLabOptions, runLab } from './run-lab.ts';

const configMap = 'poolkeeper-run-go';
const gate = {
  ...{ resourceType: 'configmaps', resourceName: configMap, resourceNamespace: 'databases' },
  ...{ timeoutSeconds: 600, onTimeout: 'abort' },
};

let run: RunLab | undefined;

afterEach(async () => {
  await run?.stop();
  run = undefined;
});

async function aGatedRun(more: RunLabOptions['run'] = {}): Promise<RunLab> {
  run = await runLab({ run: { gates: [gate], ...more } });
  await run.connection.nodeTurns.records.save('databases', 'go', { text: 'x', resourceVersion: undefined });
  await run.tick();
  return run;
}

const closes = ({ connection }: RunLab) =>
  connection.client.remove(`/api/v1/namespaces/databases/configmaps/${configMap}`, {}, {});

const ticks = async (lab: RunLab, minutes: number) => {
  for (let looks = 0; looks < minutes; looks += 1) {
    await lab.clock.advance(60_000);
    await lab.tick();
  }
};

const jobsFail = ({ openshift }: RunLab, node: string) =>
  openshift.kubelets.runPods(
    ({ metadata: { name, labels } }) =>
      name.startsWith('move') && labels?.['poolkeeper.dev/part'] === 'before' && labels['poolkeeper.dev/node'] === node,
    { forMs: 2_000, exitCode: 3, log: 'primary not found' },
  );

function holds({ openshift: { registry } }: RunLab, name: string): void {
  const node = registry.get(nodes, name);
  if (node === undefined) throw new Error('there is no such node');
  const labels = { ...node.metadata.labels, 'poolkeeper.dev/hold': '' };
  registry.update(nodes, { ...node, metadata: { ...node.metadata, labels } }, { manager: 'kubectl' });
}

const isBlocked = ({ lab }: RunLab) => lab.troubles().includes('run-blocked');

describe('a gate of a run with onTimeout: abort', () => {
  it('[N-11] [N-22] lets no node go that a label holds, though it is closed for its timeout', async () => {
    const lab = await aGatedRun();
    holds(lab, 'worker-1');
    await lab.change();
    await lab.until(() => lab.updated().length === 2);
    await ticks(lab, 12);

    await closes(lab);
    await ticks(lab, 30);

    expect([(await lab.record()).aborted, lab.isPaused(), lab.updated()]).toEqual([
      undefined,
      true,
      ['worker-0', 'worker-2'],
    ]);
  });

  it('[N-11] [N-22] lets no node go that somebody has skipped', async () => {
    const lab = await aGatedRun();
    jobsFail(lab, 'worker-1');
    await lab.change();
    await lab.until(() => isBlocked(lab));
    await lab.ask({ kind: 'skip', node: 'worker-1', said: lab.said('its database cannot move') });
    await lab.until(() => lab.updated().length === 2);
    await ticks(lab, 12);

    await closes(lab);
    await ticks(lab, 30);

    expect([(await lab.record()).aborted, lab.isPaused(), lab.updated()]).toEqual([
      undefined,
      true,
      ['worker-0', 'worker-2'],
    ]);
  });

  it('[N-11] [N-22] lets no node go while canary nodes are watched', async () => {
    const lab = await aGatedRun({ canaryNodes: ['worker-0'], soakSeconds: 7_200 });
    await lab.change();
    await lab.until(() => lab.updated().length === 1);
    await ticks(lab, 12);

    await closes(lab);
    await ticks(lab, 30);

    expect([(await lab.record()).aborted, lab.isPaused(), lab.updated()]).toEqual([undefined, true, ['worker-0']]);
  });

  it('[N-11] [N-22] lets no node go of a run that a failed Job has blocked', async () => {
    const lab = await aGatedRun();
    jobsFail(lab, 'worker-1');
    await lab.change();
    await lab.until(() => isBlocked(lab));

    await closes(lab);
    await ticks(lab, 30);

    expect([(await lab.record()).aborted, lab.isPaused(), lab.updated()]).toEqual([undefined, true, ['worker-0']]);
  });

  it('[N-11] [N-22] alerts once a node has had its turn, also after the run was changed meanwhile, and goes on when it opens', async () => {
    const lab = await aGatedRun();
    await lab.change();
    await lab.until(() => lab.updated().length === 1);

    await closes(lab);
    await ticks(lab, 5);
    lab.configure((section) => ({
      ...section,
      runs: Object.fromEntries(
        Object.entries(section.runs).map(([name, each]) => [name, { ...each, order: ['worker-2'] }]),
      ),
    }));
    await ticks(lab, 30);
    const late = [(await lab.record()).aborted, lab.isPaused(), lab.updated(), isBlocked(lab)];
    await lab.connection.nodeTurns.records.save('databases', 'go', { text: 'x', resourceVersion: undefined });
    await lab.until(() => !lab.isPaused());

    expect(late).toEqual([undefined, true, ['worker-0'], true]);
    expect(lab.seen.filter((each) => each.startsWith('move before'))).toHaveLength(3);
    expect((await lab.record()).begun).toBeUndefined();
  });

  it('[N-22] [N-29] that aborts before the first node is told until the change is done', async () => {
    const lab = await aGatedRun();
    await closes(lab);
    await lab.change();
    await lab.until(async () => (await lab.record()).aborted !== undefined, 30);
    const told = [isBlocked(lab)];
    const incident = lab.lab.world.tables.incidents.all().find(({ key }) => key.kind === 'run-blocked');
    await lab.until(() => lab.updated().length >= 1);
    told.push(isBlocked(lab));
    await lab.until(() => lab.updated().length === 3);
    await ticks(lab, 3);

    expect(told).toEqual([true, true]);
    expect(incident?.trouble).toMatchObject({ severity: 'high', headline: 'run upgrade is aborted' });
    expect(JSON.stringify(incident?.trouble)).toContain('takes those nodes without Jobs until somebody starts the run');
    expect(JSON.stringify(incident?.trouble)).toContain('poolkeeper run start upgrade --reason');
    expect([isBlocked(lab), lab.seen.filter((each) => each.startsWith('move'))]).toEqual([false, []]);
  });

  it('[N-22] [N-29] that aborts before the first node is told until somebody starts the run', async () => {
    const lab = await aGatedRun();
    await closes(lab);
    await lab.change();
    await lab.until(() => lab.updated().length === 1);
    const told = isBlocked(lab);

    await lab.connection.nodeTurns.records.save('databases', 'go', { text: 'x', resourceVersion: undefined });
    await lab.ask({ kind: 'start', said: lab.said('with Jobs') });
    await ticks(lab, 3);

    expect([told, isBlocked(lab)]).toEqual([true, false]);
  });
});

it('[N-11] [N-29] a gate of a run is told after its timeout also where the window of its pool is shut again by then', async () => {
  const windows = [Window.parse({ kind: 'allow', schedule: '0 * * * *', durationSeconds: 1_200, pools: ['worker'] })];
  run = await runLab({
    run: { gates: [{ ...gate, timeoutSeconds: 3_600, onTimeout: 'alert' }] },
    settings: { windows },
  });
  await run.tick();
  await run.change();
  await ticks(run, 90);

  expect([isBlocked(run), run.isPaused(), run.updated()]).toEqual([true, true, []]);
});

describe('a gate of a run that alerts, where one read fails', () => {
  let isFailing = false;
  let what = '';

  const version = 'clusterversions/version';

  async function anAlertingRun(failing = version): Promise<RunLab> {
    what = failing;
    const lab = await runLab({
      run: { gates: [{ ...gate, timeoutSeconds: 1_800, onTimeout: 'alert' }] },
      watch: ({ name, args: [asked] }) => {
        const isRead = name === 'cluster.reader.read' && JSON.stringify(asked).includes(what);
        if (!isFailing || !isRead) return undefined;
        isFailing = false;
        return failures['500']?.(what);
      },
    });
    run = lab;
    await lab.tick();
    await lab.change();
    return lab;
  }

  it.each([version, configMap])('[N-11] [N-29] is one incident: %s', async (failing) => {
    const lab = await anAlertingRun(failing);
    await ticks(lab, 32);
    const incident = () => lab.lab.world.tables.incidents.all().find(({ key }) => key.kind === 'run-blocked');
    const states = [isBlocked(lab), incident()?.state];

    isFailing = true;
    await ticks(lab, 1);
    const isUnread = !isFailing;
    states.push(isBlocked(lab), incident()?.state);
    await ticks(lab, 5);

    expect([isUnread, ...states]).toEqual([true, true, 'firing', true, 'firing']);
    expect([isBlocked(lab), incident()?.state]).toEqual([true, 'firing']);
  });

  it('[N-11] [N-29] is told after its time, though that of the version of the cluster fails every 25 minutes', async () => {
    const lab = await anAlertingRun();

    await ticks(lab, 25);
    isFailing = true;
    await ticks(lab, 7);

    expect([isFailing, isBlocked(lab)]).toEqual([false, true]);
  });
});

it('[N-11] [N-22] a gate of a run with onTimeout: proceed lets each node go, with its Jobs, after its timeout', async () => {
  const lab = await aGatedRun({ gates: [{ ...gate, onTimeout: 'proceed' }] });
  await closes(lab);
  await lab.change();
  await lab.until(() => !lab.isPaused());

  expect(lab.updated()).toHaveLength(3);
  expect(lab.seen.filter((each) => each.startsWith('move before'))).toHaveLength(3);
});
