/** Whether a namespace is that of its Argo CD; undefined: that one is not known. */
export function isHome(namespace: string, home: string | undefined): boolean | undefined {
  return home === undefined ? undefined : namespace === home;
}
