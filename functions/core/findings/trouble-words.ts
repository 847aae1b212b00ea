import type { Confidence, Remedy, Severity, TroubleKind } from './trouble.ts';

const kinds: Readonly<Record<TroubleKind, string>> = {
  'drain-blocked': 'drain blocked',
  'node-degraded': 'node degraded',
  'node-lost': 'node lost',
  'no-progress': 'no progress',
  'render-failed': 'render failed',
  'build-failed': 'image build failed',
  'paused-too-long': 'paused too long',
  'sync-stuck': 'sync stuck',
  'run-failed': 'sync failed',
  'late-pause': 'pause late or missing',
  'approval-needed': 'approval needed',
  'break-glass': 'break-glass in use',
  emergency: 'emergency lane open',
  'sequence-stuck': 'sequence does not go on',
  'guard-stuck': 'guard stuck',
  'lock-overdue': 'machine not back',
  'run-blocked': 'run is blocked',
  'run-under-way': 'run under way',
  'watcher-blind': 'cluster unreadable',
  'sweep-overdue': 'Applications not listed',
  'objects-unreadable': 'objects unreadable',
  'notify-failing': 'alerts not delivered',
};

/** Whether this version knows the kind of an event. */
export function isTroubleKind(kind: string): kind is TroubleKind {
  return Object.hasOwn(kinds, kind);
}

export function kindWords(kind: TroubleKind): string {
  return kinds[kind];
}

/** It tells how far something is: its message is edited when its headline changes, and nobody is reminded of it. */
export function isProgress(kind: TroubleKind): boolean {
  return kind === 'run-under-way';
}

/** Each opening and each end of a lane is a person's deed, which is told. */
export function mayFlap(kind: TroubleKind): boolean {
  return kind !== 'emergency';
}

const risks: Readonly<Record<Remedy['risk'], string>> = {
  none: 'no risk',
  low: 'low risk',
  outage: 'short outage',
  'data-loss': 'may lose data',
};

export function riskWords(risk: Remedy['risk']): string {
  return risks[risk];
}

export function confidenceWords(confidence: Confidence | undefined): string {
  return confidence === undefined ? 'cause not known yet' : `confidence ${confidence}`;
}

/** Worst first. */
export const severities: readonly Severity[] = ['critical', 'high', 'warning', 'info'];

/** 0 is the worst. */
export function severityRank(severity: Severity): number {
  return severities.indexOf(severity);
}

export function isMoreSevere(severity: Severity, than: Severity): boolean {
  return severityRank(severity) < severityRank(than);
}

/** `prod/worker`, or `prod` for what concerns the whole cluster. */
export function placeWords(key: { readonly cluster: string; readonly pool: string }): string {
  return key.pool === '*' ? key.cluster : `${key.cluster}/${key.pool}`;
}
