import type { TellEvent } from '../../events/index.ts';
import type { ClusterSettings } from '../core/configuration.ts';
import type { Judgement } from '../core/judge/judge.ts';
import type { KeepPorts } from './keep-ports.ts';

export interface Settling {
  readonly settings: ClusterSettings;
  readonly judgement: Judgement;
  readonly now: Date;
}

/** Brings the stored incidents up to what was judged, and lets send-alerts know whom to tell. */
export async function settleIncidents(_settling: Settling, _ports: KeepPorts): Promise<readonly TellEvent[]> {
  return [];
}
