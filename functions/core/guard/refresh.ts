import { type Application, isSyncing } from '../argocd/application.ts';
import { isEarlierSecond, secondsSince } from '../text/instant.ts';
import { kindWord } from '../text/kind-words.ts';
import { command } from '../text/shell-words.ts';

/** Has Argo CD compare the Application with Git; Argo CD removes it once it has begun. */
export const refreshAnnotation = 'argocd.argoproj.io/refresh';

/** For people. */
export function refreshCommand({ namespace, name }: Pick<Application, 'namespace' | 'name'>): string {
  const annotate = ['annotate', '--overwrite', kindWord('Application'), name];
  return command('oc', '-n', namespace, ...annotate, `${refreshAnnotation}=normal`);
}

/** The part of the time since the guard was opened, or the push, for which an Application is left alone after Argo CD
 *  has compared it: asked every second at first, and every four minutes after a quarter of an hour. */
const leftAlonePart = 1 / 4;

/** Seconds between two comparisons that are asked for before a guard opens. */
const beforeOpeningSeconds = 10;

/** Whether Argo CD is to be asked. It would sync by itself or has an operation, it has not been asked already, and the
 *  longer it does not sync, the more seldom: each look is a comparison with Git.
 *  @param since ISO instant of the opening of its guard, or of the push that is to be compared before; undefined: a
 *    sync that waits for it has to be compared first */
export function isRefreshDue(application: Application, since: string | undefined, now: Date) {
  const { annotations, automated, reconciledAt } = application;
  if (refreshAnnotation in annotations || (!automated && !isSyncing(application))) return false;
  if (reconciledAt === undefined) return true;
  if (since === undefined) return secondsSince(reconciledAt, now) >= beforeOpeningSeconds;
  if (isEarlierSecond(reconciledAt, since)) return true;
  return secondsSince(reconciledAt, now) >= secondsSince(since, now) * leftAlonePart;
}
