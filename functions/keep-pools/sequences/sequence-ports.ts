import type { KeepPorts } from '../keep-ports.ts';

/** What looking at a sequence needs. */
export type SequencePorts = Pick<
  KeepPorts,
  'configuration' | 'cluster' | 'argocd' | 'tickets' | 'evaluateCel' | 'clock'
>;
