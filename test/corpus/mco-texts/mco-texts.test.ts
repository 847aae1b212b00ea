import { describe, expect, test } from 'vitest';
import { causeOf } from '../../../functions/core/diagnose/catalogue.ts';
import { ruleFor } from '../../../functions/core/diagnose/rules/degraded-catalogue.ts';
import { isDrainTimeout, readNodeReason } from '../../../functions/core/diagnose/text/node-reason.ts';
import { quoted } from '../../../functions/core/text/phrases.ts';
import { aCondition } from '../../fakes/builders.ts';
import { codes, drainOf, look } from '../../functions/core/diagnose/look.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aMachine,
  anEvent,
  aPod,
  aRollingPool,
  aWorld,
  minutesAgo,
  nodeSubject,
  poolSubject,
  refused,
  type World,
} from '../../functions/core/diagnose/world.ts';
import { type McoText, mcoTexts } from './mco-texts.ts';

const { texts } = mcoTexts;
const ofNodes = texts.filter(({ surface }) => surface === 'node reason');

function codeOf(reason: string): string {
  return ruleFor(readNodeReason(reason))?.code ?? 'N0';
}

const insides = [
  ['N22', 'error running rpm-ostree rebase x: error: No space left on device\n: exit status 1'],
  ['N20', 'error running rpm-ostree rebase x: error: Timeout was reached\n: exit status 1'],
  ['N6', 'error running rpm-ostree kargs --append=a: error: Transaction in progress: x\n: exit status 1'],
] as const;

describe('every error text of the MCO that can become a reason of a node', () => {
  const plain = ofNodes.flatMap(({ text, file, code, example }) =>
    example === undefined || code === 'inner' ? [] : [[code, file, text, example] as const],
  );

  test.each(plain)('[S1-4] %s %s: %s', (code, _file, _text, example) => {
    expect(codeOf(example)).toBe(code);
  });

  const wrappers = ofNodes.flatMap(({ text, code, example }) =>
    example === undefined || code !== 'inner' ? [] : [[text, example] as const],
  );

  test.each(wrappers)('[S1-4] the error inside decides: %s', (_text, example) => {
    for (const [code, error] of insides) expect(codeOf(example.replaceAll('{inner}', error))).toBe(code);
  });

  const several = ofNodes.flatMap(({ text, code, example, or = [] }) =>
    example === undefined || or.length === 0 ? [] : [[text, code, example, or.length] as const],
  );

  test.each(several)(
    '[S1-4] several causes are told as such, with a look for each: %s (%s)',
    (_text, _code, example, or) => {
      const reason = readNodeReason(example);
      const rule = ruleFor(reason);
      const subject = nodeSubject(aWorld({ nodes: [aLiveNode('worker-2')] }), 'worker-2', 'failing');
      const looks = rule?.explain(reason, subject).remedies.filter(({ command }) => command !== undefined) ?? [];

      expect(['likely', 'possible']).toContain(rule?.confidence);
      expect(looks.length).toBeGreaterThanOrEqual(Math.min(or, 3));
    },
  );

  test('[S1-5] a drain that was given up leads to what stops it', () => {
    const given = ofNodes.filter(({ code }) => code === 'D').map(({ text }) => text);

    expect(given).toHaveLength(1);
    expect(given.every((text) => isDrainTimeout(readNodeReason(text)))).toBe(true);
  });
});

describe('[N-30] a name in a text of a node stays a name in the commands that are printed', () => {
  const subject = nodeSubject(aWorld({ nodes: [aLiveNode('worker-2')] }), 'worker-2', 'failing');
  const examples = ofNodes.flatMap(({ example }) => (example === undefined ? [] : [example]));

  /** Commands for every example with each of its words in turn replaced. */
  function commandsWith(word: string): readonly string[] {
    return examples.flatMap((example) =>
      [...example.matchAll(/[^\s"',;()[\]]+/g)].flatMap(({ index, 0: { length } }) => {
        const reason = readNodeReason(`${example.slice(0, index)}${word}${example.slice(index + length)}`);
        const remedies = ruleFor(reason)?.explain(reason, subject).remedies ?? [];
        return remedies.flatMap(({ command = '', undo = '' }) => [command, undo]);
      }),
    );
  }

  test('none becomes an option of a program', () => {
    const commands = commandsWith('-Hroot@evil.example');

    expect(commands.length).toBeGreaterThan(2_000);
    expect(commands.filter((line) => /(?:^|[\s'"=])-Hroot/.test(line))).toEqual([]);
  });

  test('none becomes part of a filter of jq', () => {
    const commands = commandsWith('/etc/\\(env.KUBECONFIG)').filter((line) => line.includes('KUBECONFIG'));

    expect(commands.length).toBeGreaterThan(5);
    expect(commands.filter((line) => line.includes('jq') && !line.includes("--arg path '/etc/"))).toEqual([]);
  });
});

describe('every error text that can keep a pool from being rendered', () => {
  const rendering = texts.flatMap(({ surface, text, file, code, example }) =>
    surface !== 'RenderDegraded' || example === undefined ? [] : [[code, file, text, example] as const],
  );

  test.each(rendering)('[S1-4] %s %s: %s', async (code, _file, _text, example) => {
    const message = `Failed to render configuration for pool worker: ${example}`;
    const pool = aRollingPool({ conditions: [aCondition({ type: 'RenderDegraded', status: 'True', message })] });

    const diagnosis = await look(aWorld(), poolSubject(aWorld(), 'render', pool));

    expect(codes(diagnosis)).toEqual([code]);
  });
});

/** Texts of one surface with an example. */
function rendered(surface: McoText['surface'], fits: (text: McoText) => boolean) {
  return texts.flatMap((each) =>
    each.surface !== surface || each.example === undefined || !fits(each)
      ? []
      : [[each.name ?? '', each.code, each.example, each] as const],
  );
}

const stays = aWorld({
  nodes: [aDrainingNode('worker-2'), aLiveNode('worker-1')],
  pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })],
  budgets: [aBudget('web')],
});

describe('every warning event of the MCO', () => {
  const own = rendered('event', ({ code }) => /^[A-Z]+\d+$/.test(code));

  test.each(own)('[S1-4] %s, %s: %s', (_name, code, example) => {
    expect(codeOf(example)).toBe(code);
  });

  test.each(rendered('event', ({ code }) => code === 'inner'))(
    '[S1-4] %s: the error inside decides (%s): %s',
    (_name, _code, example) => {
      for (const [code, error] of insides) expect(codeOf(example.replaceAll('{inner}', error))).toBe(code);
    },
  );

  test.each(rendered('event', ({ code }) => code === 'D'))(
    '[S1-5] %s: what stops the drain decides (%s): %s',
    async (name, _code, example) => {
      const message = example.replaceAll('{drain}', refused('web-a'));
      const events = [anEvent({ kind: 'Node', name: 'worker-2' }, name, message)];

      expect(codes(await drainOf({ ...stays, events })).at(-1)).toBe('P1');
    },
  );

  test('[S1-4] [decoy] a warning that no rollout stands still for leads to no cause', () => {
    const idle = texts
      .filter(({ code, surface, text }) => code === 'none' && surface === 'event' && text !== '%v')
      .map(({ text }) => text);

    expect(idle.length).toBeGreaterThan(2);
    expect(idle.map(codeOf)).toEqual(idle.map(() => 'N0'));
  });
});

describe('every error in the condition of a MachineConfigNode', () => {
  const ofDaemon = rendered('MachineConfigNode', ({ code }) => code === 'inner');

  function working(type: string, message: string): World {
    const status = type === 'NodeDegraded' ? 'True' : 'Unknown';
    return aWorld({
      nodes: [aLiveNode('worker-2', { annotations: { state: 'Working', desiredConfig: 'rendered-worker-bbb' } })],
      pods: [
        aPod('machine-config-daemon-x', {
          namespace: 'openshift-machine-config-operator',
          node: 'worker-2',
          labels: { 'k8s-app': 'machine-config-daemon' },
        }),
      ],
      machines: [aMachine('worker-2', [{ type, status, message }])],
    });
  }

  test.each(ofDaemon)('[S1-4] %s: the error inside decides (%s): %s', async (name, _code, example) => {
    for (const [code, error] of insides) {
      const world = working(name, example.replaceAll('{inner}', error));
      const symptom = name === 'NodeDegraded' ? 'failing' : 'working';

      expect(codes(await look(world, nodeSubject(world, 'worker-2', symptom)))).toEqual([code]);
    }
  });

  test('[S1-4] a step that failed is told with its error, and that it is tried again', async () => {
    const world = working('AppliedOSImage', `Update failed applying new OS config to node: ${insides[0][1]}`);

    const { findings } = await look(world, nodeSubject(world, 'worker-2', 'working'));

    expect(findings.map(({ sentence, confidence }) => [sentence, confidence])).toEqual([
      ['A disk of worker-2 is full: No space left on device. The daemon is still trying.', 'likely'],
    ]);
  });

  test('[S1-4] [decoy] a step that is under way, or an error that nobody knows, is told as it was', async () => {
    const said = ['Applying files and new OS config to node.', 'Update failed applying files to node: odd'];
    const worlds = said.map((message) => working('AppliedFiles', message));

    const found = await Promise.all(worlds.map((world) => look(world, nodeSubject(world, 'worker-2', 'working'))));

    expect(found.map(codes)).toEqual([['W1'], ['W1']]);
  });

  test.each(rendered('MachineConfigNode', ({ name }) => name === 'Drained'))(
    '[S1-5] %s: what stops the drain decides (%s): %s',
    async (type, _code, example) => {
      const message = example.replaceAll('{drain}', refused('web-a'));
      const machines = [aMachine('worker-2', [{ type, status: 'Unknown', message }])];

      expect(codes(await drainOf({ ...stays, machines })).at(-1)).toBe('P1');
    },
  );

  const cordoned = rendered('MachineConfigNode', ({ name }) => name === 'Cordoned');

  test.each(cordoned)('[S1-5] %s, %s: a drain that cannot begin: %s', async (type, code, example, { or = [] }) => {
    const told = async (message: string) =>
      codes(await drainOf({ ...stays, machines: [aMachine('worker-2', [{ type, status: 'Unknown', message }])] }));
    const byWebhook = example.replace(
      /(?<=Error is ).*?(?=, The node)/,
      'admission webhook "n.example" denied the request: no',
    );

    expect(await told(example)).toEqual([code]);
    expect(await told(byWebhook)).toEqual(or.map((each) => each.code));
  });

  test.each(rendered('MachineConfigNode', ({ name }) => name === 'Uncordoned'))(
    '[S1-5] %s, %s: %s',
    async (type, code, message) => {
      const world = aWorld({
        nodes: [aDrainingNode('worker-2')],
        machines: [aMachine('worker-2', [{ type, status: 'Unknown', message }])],
      });

      const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'uncordoning'));

      expect(codes(diagnosis)).toContain(code);
      expect(diagnosis.findings[0]?.sentence).toContain('etcdserver: request timed out');
    },
  );
});

describe('every message of ClusterOperator machine-config', () => {
  const operators = '/apis/config.openshift.io/v1/clusteroperators';
  const frames = [
    'Failed to resync 4.18.3 because: {error}',
    'Unable to apply 4.18.3: error during syncRequiredMachineConfigPools: [timed out waiting for the condition, {error}]',
  ];
  const odd = 'could not apply Machine OS Builder deployment: etcdserver: request timed out';

  /** What stands behind a MachineConfig that does not get into the render while the operator says so. */
  async function behind(message: string) {
    const conditions = [{ type: 'Degraded', status: 'True', message, lastTransitionTime: minutesAgo(20) }];
    const world = aWorld({
      others: { [operators]: [{ metadata: { name: 'machine-config' }, status: { conditions } }] },
    });
    const { findings } = await look(world, poolSubject(world, 'unrendered'));
    return findings.flatMap(({ because }) => because);
  }

  test.each(rendered('ClusterOperator', ({ code }) => code === 'K1'))(
    '[S3-15] %s, %s: the error stands in the finding, with what tells its causes apart: %s',
    async (_name, code, example, { or = [] }) => {
      for (const frame of frames) {
        const found = await behind(frame.replace('{error}', example));

        expect(found.map((each) => each.code)).toEqual([code]);
        expect(found[0]?.sentence).toContain(quoted(innermostOf(example), 240));
        expect(found[0]?.sentence).not.toMatch(/resync|Unable to apply|timed out waiting|syncRequired/);
        expect(found[0]?.remedies.length).toBeGreaterThan(or.length === 0 ? 0 : 1);
      }
    },
  );

  test.each(rendered('ClusterOperator', ({ code }) => code === 'inner'))(
    '[S3-15] %s: the error inside decides (%s): %s',
    async (_name, _code, example) => {
      const found = await behind(example.replaceAll('{inner}', odd));

      expect(found.map(({ code, sentence }) => [code, sentence])).toEqual([
        ['K1', expect.stringContaining(`degraded for 20 min: ${odd}`)],
      ]);
    },
  );

  test.each(rendered('ClusterOperator', ({ code }) => code === 'object'))(
    '[S3-15] [decoy] %s, %s: what it repeats of a pool is no cause of what happens to another: %s',
    async (_name, _code, example) => {
      for (const frame of frames) expect(await behind(frame.replace('{error}', example))).toEqual([]);
    },
  );

  function innermostOf(example: string): string {
    return example.replace(/^controllerconfig is not completed: /, '').trim();
  }
});

test('every code of the table has an entry in the catalogue, and what may mean several things says what tells them', () => {
  const special = ['inner', 'D', 'object', 'none'];
  const given = texts.flatMap(({ code, or = [] }) => [code, ...or.map((each) => each.code)]);

  expect(given.filter((code) => !special.includes(code) && causeOf(code) === undefined)).toEqual([]);
  expect(texts.filter(({ code, or = [] }) => code === 'object' && or.length === 0)).toEqual([]);
  expect(texts.filter(({ code, happened = '' }) => code === 'none' && happened === '')).toEqual([]);
  expect(texts.length).toBeGreaterThan(300);
});
