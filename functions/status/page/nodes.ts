import { stepWords } from '../../core/node-rollouts/rollout-text.ts';
import { type StepName, stepNames } from '../../core/openshift/node-rollout.ts';
import { duration, secondsBetween } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { PoolStatus } from '../status.ts';
import { column, table } from './table.ts';
import { configHash, moment, pill } from './words.ts';

type NodeStatus = NonNullable<PoolStatus['nodes']>[number];

/** Nodes on their way: at which step each is, since when, and what it waits for. */
export function nodesTable(cluster: string, pools: readonly PoolStatus[], now: Date): Html | undefined {
  const nodes = pools.flatMap(({ name, nodes: own = [] }) => own.map((node) => ({ pool: name, node })));
  if (nodes.length === 0) return undefined;
  const columns = [column('Node'), column('Step'), column('Since'), column('Waits for'), column('Course')];
  const rows = nodes.map(({ pool, node }) => ({
    cells: [
      html`<span class="name">${node.name}</span><small>${pool}</small>`,
      html`${pill(node.failing ? 'bad' : 'info', wordsOf(node.step))}<small>${configHash(node.to, pool)}</small>`,
      html`${moment(node.stepSince, now)}<small>${duration(secondsBetween(node.stepSince, now))}</small>`,
      node.waitsFor,
      html`<ol class="steps">${node.steps.map((step) => html`<li>${stepLine(step, now)}</li>`)}</ol>`,
    ],
  }));
  return html`<h4>Nodes on their way</h4>${table({ caption: `Nodes of ${cluster} on their way`, kind: 'underway', columns, rows })}`;
}

/** Nodes that joined while their pool is paused. */
export function joinedNodes(pools: readonly PoolStatus[], now: Date): readonly Html[] {
  return pools.flatMap(({ name, joined = [], currentConfig, targetConfig }) =>
    joined.length === 0
      ? []
      : [
          html`<p class="said">Joined ${name} during its pause: ${joined.map(
            (node, index) =>
              html`${index > 0 && ', '}<b>${node.name}</b> at ${moment(node.at, now)} with ${configHash(node.config, name)} (${sideOf(node.config, { currentConfig, targetConfig })})`,
          )}</p>`,
        ],
  );
}

function sideOf(config: string, { currentConfig, targetConfig }: Pick<PoolStatus, 'currentConfig' | 'targetConfig'>) {
  if (config === '') return 'not said yet';
  if (config === targetConfig && config !== currentConfig) return 'the one that waits behind the pause';
  return config === currentConfig ? 'the one that the others have' : 'neither the old nor the new one';
}

function stepLine({ name, begunAt, endedAt }: NodeStatus['steps'][number], now: Date): Html {
  const begun = begunAt === undefined ? '' : moment(begunAt, now);
  if (endedAt === undefined) return html`${wordsOf(name)} since ${begun === '' ? 'an unknown time' : begun}`;
  return html`${wordsOf(name)} ${begun !== '' && begunAt !== endedAt && html`${begun} to `}${moment(endedAt, now)}`;
}

function wordsOf(step: string): string {
  const known: StepName | undefined = stepNames.find((name) => name === step);
  return known === undefined ? step : stepWords[known];
}
