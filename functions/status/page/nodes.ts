import { stepWords } from '../../core/node-rollouts/rollout-text.ts';
import { type StepName, stepNames } from '../../core/openshift/node-rollout.ts';
import { duration, secondsBetween } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { PoolStatus } from '../status.ts';
import { column, table } from './table.ts';
import { configHash, moment, pill } from './words.ts';

type NodeStatus = NonNullable<PoolStatus['nodes']>[number];

/** Nodes being updated: the step of each, since when, and what it waits for. */
export function nodesTable(cluster: string, pools: readonly PoolStatus[], now: Date): Html | undefined {
  const nodes = pools.flatMap(({ name, nodes: own = [] }) => own.map((node) => ({ pool: name, node })));
  if (nodes.length === 0) return undefined;
  const columns = [column('Node'), column('Step'), column('Since'), column('Waiting for'), column('Steps')];
  const rows = nodes.map(({ pool, node }) => ({
    cells: [
      html`<span class="name">${node.name}</span><small>${pool}</small>`,
      html`${pill(node.failing ? 'bad' : 'info', wordsOf(node.step))}<small>${configHash(node.to, pool)}</small>`,
      html`${moment(node.stepSince, now)}<small>${duration(secondsBetween(node.stepSince, now))}</small>`,
      node.waitsFor,
      html`<ol class="steps">${node.steps.map((step) => html`<li>${stepLine(step, now)}</li>`)}</ol>`,
    ],
  }));
  return html`<h4>Nodes being updated</h4>${table({ caption: `Nodes of ${cluster} being updated`, kind: 'underway', columns, rows })}`;
}

/** Nodes that joined while their pool was paused. */
export function joinedNodes(pools: readonly PoolStatus[], now: Date): readonly Html[] {
  return pools.flatMap(({ name, joined = [], currentConfig, targetConfig }) =>
    joined.length === 0
      ? []
      : [
          html`<p class="remark">Joined ${name} while it was paused: ${joined.map(
            (node, index) =>
              html`${index > 0 && ', '}<b>${node.name}</b> at ${moment(node.at, now)} with ${configHash(node.config, name)} (${sideOf(node.config, { currentConfig, targetConfig })})`,
          )}</p>`,
        ],
  );
}

function sideOf(config: string, { currentConfig, targetConfig }: Pick<PoolStatus, 'currentConfig' | 'targetConfig'>) {
  if (config === '') return 'not known yet';
  if (config === targetConfig && config !== currentConfig) return 'the pending config';
  return config === currentConfig ? 'the current config' : 'neither the current nor the pending config';
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
