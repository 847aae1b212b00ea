import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { translatedPorts } from '../../../functions/shell/services/translated-ports.ts';
import { type Watch, watched } from '../failing-calls.ts';

/** The ports as keep-pools gets them, of which each call is watched. */
export function watchedPorts(ports: KeepPorts, watch: Watch): KeepPorts {
  const {
    configuration,
    installation,
    evaluateCel,
    changes,
    clock,
    clockSpeed,
    sleep,
    wait,
    yieldToEventLoop,
    logger,
    metrics,
    cluster,
    argocd,
    ...called
  } = ports;
  const own = { configuration, installation, evaluateCel, changes, clock, clockSpeed, sleep, wait, yieldToEventLoop };
  const connected = <Connection extends object>(name: string, connect: (to: string) => Promise<Connection>) => {
    return async (to: string) => {
      const watchOn: Watch = (call) => watch({ ...call, on: to });
      const error = watchOn({ name, args: [to] });
      if (error !== undefined) throw error;
      return watched(await connect(to), watchOn, `${name}.`);
    };
  };
  return translatedPorts({
    ...watched(called, watch),
    ...own,
    logger,
    metrics,
    cluster: connected('cluster', cluster),
    argocd: connected('argocd', argocd),
  });
}
