/** By kind. Of the same plural, singular or short names there are Machines and MachineSets of Cluster API
 *  (cluster.x-k8s.io) and Applications of app.k8s.io, as on every hub of clusters. */
const fullNames: Readonly<Record<string, string>> = {
  Machine: 'machines.machine.openshift.io',
  MachineSet: 'machinesets.machine.openshift.io',
  Application: 'applications.argoproj.io',
  ApplicationSet: 'applicationsets.argoproj.io',
  AppProject: 'appprojects.argoproj.io',
};

/** A kind as `oc` is asked for it: with its group where another group has a kind of that name, because `oc` takes the
 *  group that the API server lists first. */
export function kindWord(kind: string): string {
  return fullNames[kind] ?? kind.toLowerCase();
}
