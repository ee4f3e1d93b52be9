import { runAlertmanager, runPrometheus } from '#deploy/observability/run-prometheus.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { startFakeSmtp } from '#server/testing/fakes/fake-smtp-server.ts'

/**
 * Stages of an alert: its condition is true (`pending`), it fires, its mail has arrived (`mailed`), or it is resolved
 * (`over`).
 */
type Stage = 'pending' | 'firing' | 'mailed' | 'over'

export interface AlertRecorder {
  /** Returns the milliseconds from `since` until an alert reached a stage; undefined before that. */
  msUntil(alert: string, stage: Stage, since: number): number | undefined
  /** Returns the names of all alerts that have fired since `since`. */
  firedSince(since: number): string[]
  close(): Promise<void>
}

interface Alerts {
  data: { alerts: { labels: { alertname: string }; state: 'pending' | 'firing' }[] }
}

const lookEveryMs = 1000

/**
 * Starts Prometheus and Alertmanager with the files of deploy/observability, and a mail server that receives
 * Alertmanager's mails.
 */
export async function recordAlerts(targets: readonly string[]): Promise<AlertRecorder> {
  const smtp = await startFakeSmtp()
  const alertmanager = await runAlertmanager({ smtpPort: smtp.port, port: await freePort() })
  const prometheus = await runPrometheus({
    targets,
    port: await freePort(),
    alertmanager: alertmanager.address,
  })
  const seen: { alert: string; stage: Stage; at: number }[] = []
  let [mails, firing] = [0, new Set<string>()]

  const poll = async () => {
    const note = (alert: string, stage: Stage) => seen.push({ alert, stage, at: Date.now() })
    for (; mails < smtp.received.length; mails++) {
      const [, alert] = /\[FIRING:\d+\] (\w+)/.exec(smtp.received[mails]?.subject ?? '') ?? []
      if (alert !== undefined) note(alert, 'mailed')
    }
    const { data } = (await (await fetch(`${prometheus.url}/api/v1/alerts`)).json()) as Alerts
    for (const { labels, state } of data.alerts) note(labels.alertname, state)
    const now = new Set(
      data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname),
    )
    for (const alert of firing) if (!now.has(alert)) note(alert, 'over')
    firing = now
  }
  let looking = Promise.resolve()
  const timer = setInterval(() => (looking = looking.then(poll).catch(() => {})), lookEveryMs)

  return {
    msUntil(alert, stage, since) {
      const first = seen.find((each) => each.alert === alert && each.stage === stage && each.at >= since)
      return first && first.at - since
    },
    firedSince: (since) => [
      ...new Set(seen.filter(({ stage, at }) => stage === 'firing' && at >= since).map(({ alert }) => alert)),
    ],
    async close() {
      clearInterval(timer)
      await looking
      await prometheus.close()
      await alertmanager.close()
      await smtp.close()
    },
  }
}
