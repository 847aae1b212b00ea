import type { Application } from '../argocd/application.ts';

/** Has Argo CD compare the Application with Git; Argo CD removes it once it has begun. */
export const refreshAnnotation = 'argocd.argoproj.io/refresh';

/** Argo CD has been asked, and has not begun. */
export function isRefreshAsked({ annotations }: Application): boolean {
  return refreshAnnotation in annotations;
}
