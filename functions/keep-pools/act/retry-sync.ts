import type { Application } from '../../core/argocd/application.ts';
import { Transient } from '../../core/text/errors.ts';
import type { PerformPorts } from './perform-ports.ts';

/** What became of a refused sync. `changed`: there is a newer operation, nothing was written. */
export interface RetriedSync {
  readonly kind: 'sync';
  readonly application: Application;
  readonly outcome: 'started' | 'changed' | 'failed';
}

/** Has Argo CD run the refused operation again. A failure does not stop the pass: the incident asks a person to. */
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
    logger.warn('a refused sync could not be retried', { ...about, why: cause.message });
    return { kind: 'sync', application, outcome: 'failed' };
  }
}
