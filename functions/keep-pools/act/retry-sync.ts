import type { Application } from '../../core/argocd/application.ts';
import { Transient } from '../../core/text/errors.ts';
import type { PerformPorts } from './perform-ports.ts';

/** What became of a refused sync. `changed`: there is a newer operation, nothing was written. */
export interface RetriedSync {
  readonly kind: 'sync';
  readonly application: Application;
  readonly outcome: 'started' | 'changed' | 'failed';
}

/** Has Argo CD do the refused operation again. What cannot be started does not hold up the pass: the incident says
 *  that somebody has to. */
export async function retrySync(
  application: Application,
  { argocd, logger }: Pick<PerformPorts, 'argocd' | 'logger'>,
): Promise<RetriedSync> {
  const startedAt = application.operation?.startedAt ?? '';
  const about = { application: `${application.namespace}/${application.name}`, startedAt };
  try {
    const outcome = await (await argocd(application.argocd)).retrySync(application, startedAt);
    logger.info('refused sync', { ...about, outcome });
    return { kind: 'sync', application, outcome };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('a refused sync could not be started again', { ...about, why: cause.message });
    return { kind: 'sync', application, outcome: 'failed' };
  }
}
