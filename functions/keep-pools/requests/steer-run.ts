import { type RunPlan, runsOf } from '../../core/node-turns/run-plan.ts';
import { type RunRecord, runRecordText, withRunRequest } from '../../core/node-turns/run-record.ts';
import { type RunView, runView } from '../../core/node-turns/run-view.ts';
import type { AskedRequest } from '../../core/requests/asked-request.ts';
import type { SteerRunRequest } from '../../core/requests/request.ts';
import { steeredText, whyNotSteered } from '../../core/requests/steered-run.ts';
import { byName } from '../../core/text/by-name.ts';
import { BadInput, Transient } from '../../core/text/errors.ts';
import { listed } from '../../core/text/phrases.ts';
import type { Pools } from '../../ports/cluster.ts';
import type { NodeTurnPorts } from '../../ports/node-turns.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { loadRunRecord } from '../node-turns/load-run-record.ts';
import type { Outcome } from './outcome.ts';

/** Lost races before giving up; Poolkeeper writes a record a few times a minute at most. */
const attempts = 5;

/** Writes the request into the record of the run, which passes may be writing too. Throws BadInput and Transient. */
export async function steerRun(
  { request, cluster, who, at }: Pick<AskedRequest, 'cluster' | 'who' | 'at'> & { readonly request: SteerRunRequest },
  ports: KeepPorts,
): Promise<Outcome> {
  const { plan, turns, pools } = await runNamed(request.run, cluster, ports);
  const { act: kind, reason: why } = request;
  for (let attempt = 1; ; attempt += 1) {
    const { record, resourceVersion } = await load(plan, turns, pools);
    requireNothingLater(record, kind, at);
    const refused = whyNotSteered(kind, record);
    if (refused !== undefined) throw new BadInput(refused);
    const text = runRecordText(withRunRequest(record, { kind, said: { who, why, at } }));
    try {
      await turns.records.save(plan.recordNamespace, plan.name, { text, resourceVersion });
      return {
        said: steeredText(plan.name, kind, record),
        changed: true,
        earlier: { ofPools: [], run: record, now: ports.clock() },
      };
    } catch (cause) {
      if (!(cause instanceof Transient) || cause.kind !== 'conflict' || attempt === attempts) throw cause;
    }
  }
}

/** A command that the queue brought late undoes nothing that somebody decided after it was asked. */
function requireNothingLater({ paused, aborted }: RunRecord, kind: SteerRunRequest['act'], at: string): void {
  if (kind !== 'start' && kind !== 'go-on') return;
  const later = [aborted, paused].find((said) => said !== undefined && Date.parse(said.at) > Date.parse(at));
  if (later !== undefined) throw new BadInput(`${later.who} stopped the run after that was asked: ${later.why}`);
}

/** How a run stands. Throws BadInput and Transient. */
export async function showRun(name: string, cluster: string, ports: KeepPorts): Promise<Outcome> {
  const { plan, turns, pools } = await runNamed(name, cluster, ports);
  const [{ record }, { items, unreadable }, nodes] = await Promise.all([
    load(plan, turns, pools),
    pools.listPools(),
    turns.nodes.listReadyNodes(),
  ]);
  const unread = unreadable.map(({ name: pool }) => pool);
  const view = runView({ plan, record, pools: items, unread, nodes: nodes.items, now: ports.clock() });
  return { said: runWords(view), changed: false };
}

/** Nodes with something to tell that an answer shows. */
const tilesAtMost = 10;

function runWords({ run, state, said, done: ready, total, tiles, blockedSince, block, next }: RunView): string {
  const by = said === undefined ? '' : ` by ${said.who}: ${said.why}`;
  const since = blockedSince === undefined ? '' : ` since ${blockedSince}`;
  const telling = tiles.filter((tile) => tile.state !== 'done' && tile.state !== 'waiting');
  const shown = telling.slice(0, tilesAtMost);
  const more = telling.length > tilesAtMost ? [`${telling.length - tilesAtMost} more nodes`] : [];
  const isShown = block === undefined || shown.some(({ node }) => node === block.node);
  const ofNode = block?.node ? `${block.node}: ` : '';
  return [
    `Run ${run} is ${state}${since}${by}; ${ready} of ${total} nodes are at their targets.`,
    ...shown.map(({ node, doing }) => `${node}: ${doing}`),
    ...more,
    ...(isShown ? [] : [`${ofNode}${block.cause}.`]),
    ...(next === undefined ? [] : [`Next: ${next.node}, ${next.why}.`]),
  ].join('\n');
}

async function runNamed(
  name: string,
  cluster: string,
  { configuration, cluster: connect }: KeepPorts,
): Promise<{ readonly plan: RunPlan; readonly turns: NodeTurnPorts; readonly pools: Pools }> {
  const plans = runsOf(configuration.nodeTurns, cluster);
  const plan = byName(plans, name);
  if (plan === undefined)
    throw new BadInput(
      `there is no run ${name}; there is ${listed(
        plans.map((each) => each.name),
        10,
      )}`,
    );
  const { nodeTurns, pools } = await connect(cluster);
  if (nodeTurns === undefined) throw new BadInput(`no run takes nodes of ${cluster}`);
  return { plan, turns: nodeTurns, pools };
}

async function load(
  plan: RunPlan,
  { records }: NodeTurnPorts,
  pools: Pools,
): Promise<{ readonly record: RunRecord; readonly resourceVersion: string | undefined }> {
  const { record, stored, missedSince } = await loadRunRecord(plan, (await pools.listPools()).items, records);
  // Written now, it would stand for the one that is looked for, and nothing that its turns began would be cleaned up.
  if (missedSince !== undefined) throw new BadInput('the record of the run is missing and looked for; ask again later');
  if (record === 'unreadable') throw new BadInput('the record of the run cannot be understood');
  return { record, resourceVersion: stored?.resourceVersion };
}
