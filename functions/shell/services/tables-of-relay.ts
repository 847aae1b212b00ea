import { pushOutcomes } from '../../adapters/aws/push-outcomes.ts';
import { relayedPushes } from '../../adapters/aws/relay-notes.ts';
import type { TableOptions } from '../../adapters/aws/table.ts';
import type { Configuration } from '../../core/configuration/configuration.ts';
import type { KeepPorts } from '../../keep-pools/keep-ports.ts';

/** What keep-pools and the relay tell each other of pushes; nothing where no Argo CD has a relay. */
export function tablesOfRelay(
  { argocd }: Pick<Configuration, 'argocd'>,
  stored: TableOptions,
): Pick<KeepPorts, 'outcomes' | 'relayed'> {
  if (argocd.every(({ relay }) => relay === undefined)) return {};
  return { outcomes: pushOutcomes(stored), relayed: relayedPushes(stored) };
}
