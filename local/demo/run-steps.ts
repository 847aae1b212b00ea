import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  parseRunRecord,
  type RunLogEntry,
  type RunRecord,
  type RunRequest,
  runRecordText,
  withRunRequest,
} from '../../functions/core/node-turns/run-record.ts';
import type { Hold } from '../../functions/core/openshift/hold.ts';
import { holdsOf } from '../../functions/core/openshift/pool-record.ts';
import { application } from '../openshift/reference-world.ts';
import { awaitEvent, DemoFailed, showMessage, waitUntil } from './awaiting.ts';
import type { Demo } from './demo-set-up.ts';

import type { OnCall } from './on-call.ts';
import { databases, inviteToWatch, rules, runCommandLine, runName, runYaml, scenarioTurns } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';
import { introduceWorkers, isLeftToTheDemo, push, waitUntilSettled, worker } from './shared-steps.ts';
import type { StepPrinter } from './step-printer.ts';

/** The node whose Job fails until somebody has mended it. */
const troubled = 'worker-2';
const node = 'poolkeeper.dev/node';
const part = 'poolkeeper.dev/part';
/** How long the Jobs take, milliseconds of the cluster's time. */
const jobMs = 20_000;

/** Each worker has its Jobs, its update and its clean-ups, one after another; a Job fails, and a person lets it try
 *  again. */
export const nodeByNode: Scenario = {
  options: () => ({ nodeTurns: scenarioTurns() }),
  run: runTurns,
  anchor: `#run-${runName}`,
  invitation: async (_, folder) => inviteToWatch(folder),
};

async function runTurns(demo: Demo, printer: StepPrinter, onCall: OnCall | undefined): Promise<void> {
  await prepare(demo);
  await waitUntilSettled(demo);
  introduceWorkers(demo, printer.say, story, 'five');
  printer.begin();
  await push(demo, printer);
  const narrator = new Narrator(demo, printer);
  await hold(demo, printer);
  await narrator.follow('a Job to fail', async (record) => record.turns[troubled]?.failed !== undefined);
  await blocked(demo, printer, onCall);
  await narrator.follow('every node to be done', async () => !(await worker(demo))?.paused);
  printer.step('Poolkeeper', 'every worker is at the target: the hold of the run ends, nothing is left for the MCO');
  const resolved = await awaitEvent(demo, 'poolkeeper.incident.resolved.v1');
  printer.step('Poolkeeper', `PK-${resolved.data.number} is resolved`);
  await showMessage(demo, 'RESOLVED', printer.say);
}

/** The pods of the shop can move, so that drains end; Jobs print what they do, and one finds nothing to move to. */
async function prepare(demo: Demo): Promise<void> {
  const { world, log } = demo;
  await writeFile(join(dirname(log), 'poolkeeper.yaml'), runYaml());
  world.labelSecondNode();
  world.openshift.addNamespace(databases);
  world.openshift.addNodes({ pool: 'worker', names: ['worker-3', 'worker-4'] });
  jobsPrint(demo);
  world.openshift.kubelets.runPods(
    ({ metadata: { name, labels = {} } }) =>
      name.startsWith(rules.primary) && labels[node] === troubled && labels[part] === 'before',
    { forMs: jobMs, exitCode: 3, log: `looking for a replica outside ${troubled}\nno replica is in sync` },
  );
}

/** What the Jobs say before the node's update, and their clean-ups after it. */
const said = [
  [rules.primary, 'before', 'the primary runs on another node'],
  [rules.primary, 'after', 'the primary may run there again'],
  [rules.monitor, 'before', 'the monitor is silenced'],
  [rules.monitor, 'after', 'the monitor is on again'],
] as const;

function jobsPrint({ world }: Demo): void {
  const { kubelets } = world.openshift;
  for (const [rule, when, log] of said)
    kubelets.runPods(
      ({ metadata: { name, labels = {} } }) =>
        name.startsWith(rule) && labels[node] !== undefined && (labels[part] === 'before') === (when === 'before'),
      { forMs: jobMs, exitCode: 0, log },
    );
}

const story = `Run ${runName}: one worker after another. Before its drain the primary of a database is moved away and
its monitor silenced; both are put back when the node is there again.`;

async function hold(demo: Demo, { step }: StepPrinter): Promise<void> {
  const isHeld = async () => (await holds(demo)).some(({ kind }) => kind === 'rollout');
  await waitUntil(demo, 'the run to hold the pool', isHeld);
  step('Poolkeeper', `pool worker stays paused after the sync of ${application}: run ${runName} takes its nodes`);
}

async function blocked(demo: Demo, printer: StepPrinter, onCall: OnCall | undefined): Promise<void> {
  const { step, say } = printer;
  const opened = await awaitEvent(demo, 'poolkeeper.incident.opened.v1');
  step('Poolkeeper', `PK-${opened.data.number} ${opened.data.headline}`);
  await showMessage(demo, 'FIRING', say);
  // The replica has caught up meanwhile.
  jobsPrint(demo);
  const isOver = async () => (await record(demo)).turns[troubled]?.failed === undefined;
  if (await isLeftToTheDemo(demo, onCall, { printer, words: advice(dirname(demo.log)), isOver })) {
    await ask(demo, {
      kind: 'retry',
      node: troubled,
      said: { who: 'demo', why: 'a replica is in sync', at: now(demo) },
    });
    step('A person', `does what the message advises: poolkeeper run retry ${runName} ${troubled}`);
  } else step('You', 'have let it try again');
}

function advice(folder: string): string {
  return `The run is blocked, and you are on call. The replica has caught up meanwhile: let the Job try again,

  ${runCommandLine(`retry ${runName} ${troubled} --reason "a replica is in sync"`, folder)}

or press Enter, and the demo does.\n`;
}

/** Prints what the run notes of itself, once. */
class Narrator {
  readonly #demo: Demo;
  readonly #printer: StepPrinter;
  readonly #said = new Set<string>();

  constructor(demo: Demo, printer: StepPrinter) {
    this.#demo = demo;
    this.#printer = printer;
  }

  async follow(what: string, reached: (record: RunRecord) => Promise<boolean>): Promise<void> {
    for (let begun = false; !begun; ) begun = await this.#untilOneMore(what, reached);
  }

  /** A node takes a while: patience begins anew with each entry. */
  async #untilOneMore(what: string, reached: (record: RunRecord) => Promise<boolean>): Promise<boolean> {
    let isReached = false;
    await waitUntil(this.#demo, what, async () => {
      const read = await record(this.#demo);
      isReached = await reached(read);
      return this.#tell(read.log) || isReached;
    });
    return isReached;
  }

  #tell(log: readonly RunLogEntry[]): boolean {
    const fresh = log.filter((entry) => !this.#said.has(JSON.stringify(entry)));
    for (const entry of fresh) {
      this.#said.add(JSON.stringify(entry));
      this.#printer.step(entry.node === '' ? 'Run' : entry.node, entry.what);
    }
    return fresh.length > 0;
  }
}

async function holds(demo: Demo): Promise<readonly Hold[]> {
  const pool = await worker(demo);
  return pool === undefined ? [] : holdsOf(pool);
}

async function record(demo: Demo): Promise<RunRecord> {
  const stored = await demo.connection.nodeTurns.records.load('poolkeeper', runName);
  const read = parseRunRecord(stored?.text ?? '');
  if (read === 'unreadable') throw new DemoFailed(`the record of run ${runName} cannot be understood`);
  return read;
}

/** As the command does; Poolkeeper may be writing too. */
async function ask(demo: Demo, request: RunRequest): Promise<void> {
  const { records } = demo.connection.nodeTurns;
  await waitUntil(demo, 'the record to be written', async () => {
    const resourceVersion = (await records.load('poolkeeper', runName))?.resourceVersion;
    const text = runRecordText(withRunRequest(await record(demo), request));
    return records.save('poolkeeper', runName, { text, resourceVersion }).then(
      () => true,
      () => false,
    );
  });
}

function now({ clock }: Demo): string {
  return clock.now().toISOString();
}
