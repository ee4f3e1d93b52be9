{{- define "cliffhanger.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "cliffhanger.secret" -}}
{{- .Values.existingSecret | default (include "cliffhanger.name" .) -}}
{{- end }}

{{- define "cliffhanger.labels" -}}
app.kubernetes.io/name: cliffhanger
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* Selector labels for the pods of a role. Takes (dict "root" $ "role" "web"). */ -}}
{{- define "cliffhanger.selector" -}}
app.kubernetes.io/name: cliffhanger
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- /* Replaces the pods when a secret of the chart changes, because they read it only at start. The content of an existing secret (`existingSecret`) is unknown here. */ -}}
{{- define "cliffhanger.restartOnSecretChange" -}}
{{- if not .Values.existingSecret -}}
annotations:
  checksum/secret: {{ toJson .Values.secrets | sha256sum | quote }}
{{- end }}
{{- end }}

{{- /* The pod settings that all roles share. Takes (dict "root" $ "role" "web" "scratch" "1Gi"). */ -}}
{{- define "cliffhanger.podSettings" -}}
automountServiceAccountToken: false
# The site exits within 10 s, or 35 s if requests take longer.
terminationGracePeriodSeconds: 40
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: data
    emptyDir: { sizeLimit: {{ .scratch }} }
  - name: tmp
    emptyDir: { sizeLimit: 1Gi }
{{- end }}

{{- define "cliffhanger.container" -}}
name: {{ .role }}
image: "{{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  - { name: PUBLIC_URL, value: "https://{{ .root.Values.domain }}" }
  - { name: TRUST_PROXY, value: {{ .root.Values.web.trustProxy | quote }} }
{{- if ne .role "migrate" }}
  - { name: ROLE, value: {{ .role }} }
  - { name: METRICS_PORT, value: "9464" }
  - { name: METRICS_HOST, value: "0.0.0.0" }
{{- end }}
{{- range $name, $value := .root.Values.settings }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
envFrom:
  - secretRef: { name: {{ include "cliffhanger.secret" .root }} }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}
