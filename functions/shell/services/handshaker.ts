import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import type { HandshakePorts } from '../../handshake/handshake.ts';
import { protect } from '../../handshake/protect.ts';
import type { HandshakeEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { poolKeeper } from './pool-keeper.ts';

/** The dependencies of the handshake: the same as keep-pools, without permission to renew tokens. Throws
 *  Misconfigured. */
export async function handshaker(environment: HandshakeEnvironment, telemetry: Telemetry): Promise<HandshakePorts> {
  const { clock, sleep, newId } = systemRuntime;
  const ports = await poolKeeper(environment, telemetry, { renewsTokens: false });
  return {
    secrets: ports.secrets,
    secret: environment.HANDSHAKE_TOKEN_SECRET_ARN,
    protect: (ref) => protect(ref, ports),
    clock,
    sleep,
    newId,
    ...telemetry,
  };
}
