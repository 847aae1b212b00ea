import { chainOf } from '../../findings/chain.ts';
import { remediesInOrder } from '../../findings/remedy-order.ts';
import { wrapLines } from '../../text/columns.ts';
import { counted, listed } from '../../text/phrases.ts';
import type { NodeSystem, NodeSystems } from './node-systems.ts';
import type { Obstacle } from './obstacle.ts';
import type { Preflight } from './preflight.ts';

/** For a terminal: first what blocks and what to do, then what is lost, then what was not seen. */
export function preflightText({
  pool,
  touched,
  preflight,
  unsure = [],
}: {
  readonly pool: string;
  readonly touched: number;
  /** Why it is not known which nodes are those of the pool, or what they are. */
  readonly unsure?: readonly string[] | undefined;
  readonly preflight: Preflight;
}): string {
  const { obstacles, besides, losses, systems, undrained = [], skipped, skippedNodes = 0, unread } = preflight;
  const blocked = new Set(obstacles.flatMap(({ nodes }) => nodes)).size;
  const calm =
    unsure.length === 0
      ? `Pool ${pool}: nothing was found that blocks the drain of its ${counted(touched, 'node')}.`
      : `Pool ${pool}: what blocks its drains is not known.`;
  const head =
    obstacles.length === 0
      ? calm
      : obstacles.some(({ nodes }) => nodes.length === 0)
        ? `Pool ${pool}: its rollout will not go on.`
        : `Pool ${pool}: ${blocked} of ${counted(touched, 'node')} will block.`;
  const lines = [
    head,
    ...unsure.map((why) => `  Not known: ${why}.`),
    ...(undrained.length === 0 ? [] : [`  ${listed(undrained)}: ${withoutDrain}.`]),
    ...obstacles.flatMap(obstacleLines),
    ...besides.map(({ sentence, code }) => `  Beside that: ${sentence} [${code}]`),
    ...losses.flatMap(({ node, unmanaged, localStorage }) => [
      ...(unmanaged.length === 0 ? [] : [`  ${node}: gone for good, nobody makes them again: ${listed(unmanaged)}`]),
      ...(localStorage.length === 0 ? [] : [`  ${node}: local storage is deleted: ${listed(localStorage)}`]),
    ]),
    ...systemLines(systems),
    ...(skipped === 0 ? [] : [`  Not looked at: ${counted(skipped, 'budget')}.`]),
    ...(skippedNodes === 0
      ? []
      : [`  Not looked at: what is lost, and pods that never end, on ${counted(skippedNodes, 'further node')}.`]),
    ...unread.map(({ what, why }) => `  Could not be read: ${what} (${why}).`),
    '',
  ];
  return wrapLines(lines.join('\n'));
}

const withoutDrain =
  'rebooted with all its pods, without a drain, because the control plane is a single node: no budget is asked, and while that node is away so is the API server';

/** Nodes of which the same is to be said share a line. */
function systemLines(systems: NodeSystems | undefined): readonly string[] {
  if (systems === undefined) return [];
  const said = systems.nodes.flatMap((each) => systemTexts(each).map((text) => ({ node: each.node, text })));
  const shared = [...Map.groupBy(said, ({ text }) => text)];
  const unseen = [...Map.groupBy(systems.unread, ({ why }) => why)];
  return [
    ...shared.map(([text, nodes]) => `  ${listed(nodes.map(({ node }) => node))}: ${text}.`),
    ...unseen.map(([why, all]) => `  Not seen: ${listed(all.map(({ what }) => what))} (${why}).`),
  ];
}

function systemTexts({ image, wantedImage, unlike, changes }: NodeSystem): readonly string[] {
  return [
    ...(image === undefined ? [] : [`image mode, boots ${image}`]),
    ...(wantedImage === undefined ? [] : [`is to boot ${wantedImage}`]),
    ...unlike.map(
      ({ own, others }) =>
        `runs ${own}, others with the same configuration run ${listed(others, 2)}: rebased or changed by hand, or fallen back; an update may fail on it`,
    ),
    ...(changes === '' ? [] : [`changed on the node: ${changes}; an update fails where that does not fit`]),
  ];
}

function obstacleLines({ nodes, finding }: Obstacle, index: number): readonly string[] {
  const [first, ...because] = chainOf(finding);
  return [
    '',
    `  ${index + 1}. ${nodes.length === 0 ? 'every node' : listed(nodes)} [${finding.code}, ${finding.confidence}]`,
    `     ${first?.sentence ?? ''}`,
    ...because.map(({ sentence }) => `     because: ${sentence}`),
    ...remediesInOrder([finding]).flatMap(({ title, command, undo, risk }) => [
      `     - ${title} (risk: ${risk})`,
      ...(command === undefined ? [] : [`       ${command}`]),
      ...(undo === undefined ? [] : [`       undo: ${undo}`]),
    ]),
  ];
}
