import type { KeepPorts } from '../../keep-pools/keep-ports.ts';
import type { KeepPoolsEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { poolKeeper } from './pool-keeper.ts';

/** The dependencies of keep-pools, which keeps sequences too: their gates may have expressions in CEL. The handshake
 *  does not, and is spared the library; so is a start without a sequence or a run. Throws Misconfigured. */
export async function sequenceKeeper(environment: KeepPoolsEnvironment, telemetry: Telemetry): Promise<KeepPorts> {
  const ports = await poolKeeper(environment, telemetry, { renewsTokens: true });
  const { sequences, nodeTurns } = ports.configuration;
  if (sequences === undefined && nodeTurns === undefined) return ports;
  const { evaluateCel } = await import('../../adapters/cel/evaluate-cel.ts');
  return { ...ports, evaluateCel };
}
