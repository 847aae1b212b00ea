import type { Incident } from '../../functions/core/alerts/incident.ts';
import type { ShownRun } from '../../functions/core/node-turns/shown-run.ts';
import type { NodeRollout } from '../../functions/core/openshift/node-rollout.ts';
import type { ShownSequence } from '../../functions/core/sequences/shown-sequence.ts';
import type { ClusterView, TimelineEntry } from '../../functions/core/timeline/view.ts';
import {
  aDelivery,
  aNodeRollout,
  anIncident,
  aPoolView,
  aRace,
  aTimelineEntry,
  aTrouble,
  aView,
} from '../fakes/builders.ts';

const at = '2026-03-02T10:20:00.000Z';

/** Views, incidents, sequences and timeline in which every text that comes from outside is the given one. */
export function hostileWorld(text: string): {
  readonly views: readonly ClusterView[];
  readonly incidents: readonly Incident[];
  readonly timeline: readonly TimelineEntry[];
  readonly rollouts: readonly NodeRollout[];
  readonly sequences: readonly ShownSequence[];
  readonly runs: readonly ShownRun[];
} {
  const pool = aPoolView({
    name: text,
    protection: text,
    paused: true,
    pauseOf: 'foreign',
    pausedSince: at,
    pausedBy: text,
    currentConfig: text,
    targetConfig: `${text}b`,
    pending: true,
    pendingSources: { added: [text], removed: [text] },
    degraded: true,
    message: text,
    holds: [{ id: text, kind: text, who: text, why: text, phase: text, since: at, until: at }],
    closedGates: [
      {
        gate: text,
        why: text,
        value: text,
        threshold: text,
        since: at,
        opens: text,
        who: text,
        how: text,
      },
    ],
    races: [aRace({ hold: text, missedNodes: [text] })],
    nodes: [
      {
        name: text,
        from: text,
        to: text,
        begunAt: at,
        step: text,
        stepSince: at,
        failing: true,
        waitsFor: text,
        steps: [{ name: text, begunAt: at, endedAt: undefined }],
      },
    ],
    joined: [{ name: text, at, config: text }],
  });
  const finding = {
    code: text,
    subject: { kind: text, namespace: text, name: text },
    sentence: text,
    confidence: 'possible',
    class: 'unknown',
    evidence: [],
    because: [],
    remedies: [{ title: text, command: text, risk: 'none', undo: text, who: 'platform' }],
  } as const;
  const key = { cluster: text, pool: text, kind: 'drain-blocked' } as const;
  const trouble = aTrouble({
    key,
    headline: text,
    findings: [{ ...finding, because: [finding] }, finding],
    facts: [{ label: text, value: text }],
  });
  return {
    views: [
      aView({ cluster: text, blind: { why: text, since: at, misses: 3 }, pools: [pool, { ...pool, pauseOf: 'ours' }] }),
    ],
    incidents: [
      anIncident({ key, trouble, inhibitedBy: text, deliveries: { [text]: aDelivery() } }),
      anIncident({
        key: { ...key, kind: 'node-lost' },
        number: 8,
        trouble,
        state: 'ok',
        resolvedAt: at,
        outcome: 'fixed',
      }),
    ],
    timeline: [aTimelineEntry({ cluster: text, pool: text, type: text, text })],
    sequences: [aHostileSequence(text)],
    runs: [aHostileRun(text)],
    rollouts: [
      aNodeRollout({
        cluster: text,
        pool: text,
        node: text,
        from: text,
        to: text,
        causes: [{ kind: 'git', why: text, sources: [text], by: { application: text, revision: text } }],
      }),
    ],
  };
}

function aHostileRun(text: string): ShownRun {
  const tile = { node: text, pool: text, doing: text, since: at, place: undefined, tail: [text] } as const;
  return {
    run: text,
    cluster: text,
    mode: 'turns',
    state: 'blocked',
    said: { who: text, why: text, at },
    blockedSince: at,
    block: { kind: 'job', node: text, place: 1, cause: text, action: text },
    next: { node: text, why: text },
    minutesLeft: 12,
    done: 0,
    total: 2,
    pools: [{ name: text, target: text, paused: true }],
    tiles: [
      { ...tile, state: 'before', step: 'before' },
      { ...tile, state: 'held', step: undefined },
    ],
    tilesOmitted: { done: 0, waiting: 0 },
    log: [{ at, node: text, what: text }],
    readAt: at,
  };
}

function aHostileSequence(text: string): ShownSequence {
  const item = { id: text, what: text, cluster: text, value: text, since: at, begunAt: undefined } as const;
  const gate = { ...item, kind: 'gate', of: text, waitedSince: at, until: at, onTimeout: text } as const;
  return {
    sequence: text,
    description: text,
    cluster: text,
    readAt: at,
    state: 'paused',
    said: { who: text, why: text, at },
    wave: 0,
    waves: [
      {
        wave: 0,
        items: 3,
        healthy: 0,
        shown: [
          { ...item, kind: 'step', state: 'unhealthy', why: text, waitsFor: [text] },
          { ...item, id: `${text}2`, kind: 'step', state: 'unseen', why: `${text}2`, waitsFor: [text] },
          { ...gate, state: 'unhealthy' },
        ],
      },
    ],
    wavesOmitted: 0,
    problems: [{ kind: 'timeout', item: text, cluster: text, since: at, why: text }],
    log: [{ at, item: text, what: text }],
  };
}
