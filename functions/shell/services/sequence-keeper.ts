import { evaluateCel } from '../../adapters/cel/evaluate-cel.ts';
import type { KeepPorts } from '../../keep-pools/keep-ports.ts';
import type { KeepPoolsEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { poolKeeper } from './pool-keeper.ts';

/** The dependencies of keep-pools, which keeps sequences too: their gates may have expressions in CEL. The handshake
 *  does not, and is spared the library. Throws Misconfigured. */
export async function sequenceKeeper(environment: KeepPoolsEnvironment, telemetry: Telemetry): Promise<KeepPorts> {
  return { ...(await poolKeeper(environment, telemetry, { renewsTokens: true })), evaluateCel };
}
