import type { Application } from '../../core/argocd/application.ts';
import { Transient } from '../../core/text/errors.ts';
import type { PerformPorts } from './perform-ports.ts';

/** Whether Argo CD was asked to look at an Application. */
export interface RefreshedApplication {
  readonly kind: 'refresh';
  readonly application: Application;
  readonly failure: Transient | undefined;
}

/** Nothing else wakes Argo CD when a window has gone. A failure is made up for by the next pass. */
export async function refreshApplication(
  application: Application,
  { argocd, logger }: Pick<PerformPorts, 'argocd' | 'logger'>,
): Promise<RefreshedApplication> {
  try {
    await (await argocd(application.argocd)).refresh(application);
    return { kind: 'refresh', application, failure: undefined };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const { namespace, name } = application;
    logger.warn('a refresh could not be asked for', { application: `${namespace}/${name}`, why: cause.message });
    return { kind: 'refresh', application, failure: cause };
  }
}
