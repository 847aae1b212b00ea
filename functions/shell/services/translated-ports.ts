import { BadInput, Misconfigured, Transient } from '../../core/text/errors.ts';
import { oncePer } from '../../core/text/once-per.ts';
import type { ClusterPorts, KeepPorts } from '../../keep-pools/keep-ports.ts';
import type { ArgoCd } from '../../ports/argocd.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/telemetry.ts';

/** Whether something outside is called by it, so that anything may be thrown. `cluster` and `argocd` connect to ports
 *  of their own. */
const isOutside = {
  alerts: true,
  approvals: true,
  argocd: false,
  askedRequests: true,
  budgetPlaces: true,
  bus: true,
  calendarServers: true,
  changes: false,
  checkpoints: true,
  clock: false,
  clockSpeed: false,
  cluster: false,
  configuration: false,
  evaluateCel: false,
  fleetLocks: true,
  incidents: true,
  installation: false,
  keptCalendars: true,
  logger: false,
  metrics: false,
  nodeRollouts: true,
  outcomes: true,
  races: true,
  relayed: true,
  repositoryNames: false,
  requests: true,
  routes: true,
  ruleCallbacks: true,
  ruleCalls: true,
  ruleFunctions: true,
  runViews: true,
  sequenceRequests: true,
  sequenceViews: true,
  sleep: false,
  tickets: true,
  timeline: true,
  views: true,
  wait: false,
  work: true,
  yieldToEventLoop: false,
} satisfies Readonly<Record<keyof KeepPorts, boolean>>;

/** The same ports, whose calls fail with errors of ours alone. Whatever else comes out of one is a fault in its
 *  adapter: it is logged with its stack, and costs what every failed call costs, its own part of a pass. */
export function translatedPorts<Ports extends KeepPorts>(ports: Ports): Ports {
  const { logger, clock, cluster, argocd } = ports;
  // The same for the same connection: what is remembered of a cluster, as that it did not answer, goes by its reader.
  const clusters = oncePer((own: ClusterPorts) => translatedCluster(own, { logger, clock }), new WeakMap());
  const instances = oncePer((own: ArgoCd) => translatedPort('argocd', own, logger), new WeakMap());
  const outside = Object.entries(isOutside).flatMap(([name, is]) => (is ? [name] : []));
  const translated = outside.flatMap((name) => {
    const port: unknown = Reflect.get(ports, name);
    return typeof port === 'object' && port !== null ? [[name, translatedPort(name, port, logger)] as const] : [];
  });
  return {
    ...ports,
    ...Object.fromEntries(translated),
    cluster: (name: string) => translatedCall('cluster', logger, async () => clusters(await cluster(name))),
    argocd: (name: string) => translatedCall('argocd', logger, async () => instances(await argocd(name))),
  };
}

function translatedCluster(ports: ClusterPorts, { logger, clock }: Pick<KeepPorts, 'logger' | 'clock'>): ClusterPorts {
  const { nodeTurns, healthChecks, sequenceRecords, writer } = ports;
  return {
    pools: translatedPort('pools', ports.pools, logger),
    reader: answeringReader(ports.reader, { logger, clock }),
    renderings: translatedPort('renderings', ports.renderings, logger),
    healthChecks: healthChecks && translatedPort('healthChecks', healthChecks, logger),
    sequenceRecords: sequenceRecords && translatedPort('sequenceRecords', sequenceRecords, logger),
    writer: writer && translatedPort('writer', writer, logger),
    nodeTurns: nodeTurns && {
      records: translatedPort('runRecords', nodeTurns.records, logger),
      nodes: translatedPort('turnNodes', nodeTurns.nodes, logger),
      jobs: translatedPort('jobs', nodeTurns.jobs, logger),
      canary: translatedPort('canaryPools', nodeTurns.canary, logger),
    },
  } satisfies { readonly [Name in keyof Required<ClusterPorts>]: ClusterPorts[Name] };
}

/** Its failures are answers. */
function answeringReader(reader: ObjectReader, { logger, clock }: Pick<KeepPorts, 'logger' | 'clock'>): ObjectReader {
  return {
    read: async (question) => {
      try {
        return await translatedCall('reader.read', logger, () => reader.read(question));
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        return { kind: 'failed', why: cause.message, readAt: clock() };
      }
    },
  };
}

function translatedPort<Port extends object>(name: string, port: Port, logger: Logger): Port {
  return new Proxy(port, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        const call = `${name}.${String(key)}`;
        try {
          const answer: unknown = Reflect.apply(method, target, args);
          return answer instanceof Promise ? answer.catch((cause: unknown) => fail(call, cause, logger)) : answer;
        } catch (cause) {
          return fail(call, cause, logger);
        }
      };
    },
  });
}

async function translatedCall<T>(call: string, logger: Logger, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    return fail(call, cause, logger);
  }
}

function fail(call: string, cause: unknown, logger: Logger): never {
  if (cause instanceof Transient || cause instanceof BadInput || cause instanceof Misconfigured) throw cause;
  logger.error('a call failed in a way that its adapter does not know', { call, error: cause });
  throw new Transient(`${call}: an internal error of Poolkeeper; see its log`, { cause });
}
