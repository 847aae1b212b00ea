import { chainOf } from '../../findings/chain.ts';
import { remediesInOrder } from '../../findings/remedy-order.ts';
import { wrapLines } from '../../text/columns.ts';
import { counted, listed } from '../../text/phrases.ts';
import type { Obstacle } from './obstacle.ts';
import type { Preflight } from './preflight.ts';

/** For a terminal: first what blocks and what to do, then what is lost, then what was not seen. */
export function preflightText({
  pool,
  touched,
  preflight,
}: {
  readonly pool: string;
  readonly touched: number;
  readonly preflight: Preflight;
}): string {
  const { obstacles, besides, losses, skipped, unread } = preflight;
  const blocked = new Set(obstacles.flatMap(({ nodes }) => nodes)).size;
  const head =
    obstacles.length === 0
      ? `Pool ${pool}: nothing was found that blocks the drain of its ${counted(touched, 'node')}.`
      : obstacles.some(({ nodes }) => nodes.length === 0)
        ? `Pool ${pool}: its rollout will not go on.`
        : `Pool ${pool}: ${blocked} of ${counted(touched, 'node')} will block.`;
  const lines = [
    head,
    ...obstacles.flatMap(obstacleLines),
    ...besides.map(({ sentence, code }) => `  Beside that: ${sentence} [${code}]`),
    ...losses.flatMap(({ node, unmanaged, localStorage }) => [
      ...(unmanaged.length === 0 ? [] : [`  ${node}: gone for good, nobody makes them again: ${listed(unmanaged)}`]),
      ...(localStorage.length === 0 ? [] : [`  ${node}: local storage is deleted: ${listed(localStorage)}`]),
    ]),
    ...(skipped === 0 ? [] : [`  Not looked at: ${counted(skipped, 'budget')}.`]),
    ...unread.map(({ what, why }) => `  Could not be read: ${what} (${why}).`),
    '',
  ];
  return wrapLines(lines.join('\n'));
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
