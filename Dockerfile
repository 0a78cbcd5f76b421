# The gateway in a container.
#
#   docker build -t sandgate .
#   docker build -t sandgate --secret id=npmrc,src="$HOME/.npmrc" .              # packages from a registry of your own
#   docker build -t sandgate --secret id=ca,src=/etc/ssl/certs/company.pem .     # behind a certificate authority of your own
#
# BASE builds: Node.js 20 or newer with npm. RUNTIME runs: the same C library, and nothing else is needed, not even a
# shell, since no command runs in the last stage.
ARG BASE=docker.io/library/node:22-bookworm-slim
ARG RUNTIME=docker.io/library/debian:bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# A secret is there for this one command, when it was given, and in no layer.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=ca,target=/run/secrets/ca.pem \
  if [ -f /run/secrets/ca.pem ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca.pem; fi \
  && npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# What the package ships, the packages of the lock file that it runs with, Node.js, and an empty place for the state.
RUN npm pack \
  && npm prune --omit=dev --ignore-scripts \
  && mkdir -p /image/opt/sandgate /image/usr/local/bin /state/sandgate \
  && tar -xzf sandgate-*.tgz -C /image/opt/sandgate --strip-components=1 \
  && cp -R node_modules /image/opt/sandgate/node_modules \
  && cp "$(readlink -f "$(command -v node)")" /image/usr/local/bin/node \
  && ln -s /opt/sandgate/dist/cli/main.js /image/usr/local/bin/sandgate

FROM ${RUNTIME}
COPY --from=build /image/ /
COPY --from=build --chown=10001:10001 /state/ /var/lib/
# By number, so that an orchestrator sees that it is not root.
USER 10001:10001
# Configuration (config/), data (data/) and recordings (recordings/), by the paths that they have by default.
WORKDIR /var/lib/sandgate
VOLUME ["/var/lib/sandgate"]
# The operator listener stays on the loopback of the container. Whoever needs it outside sets SANDGATE_OPERATOR_HOST
# and gives it a token.
ENV SANDGATE_LISTEN_HOST=0.0.0.0
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["/usr/local/bin/node", "-e", "require('node:http').get({ host: '127.0.0.1', port: process.env.SANDGATE_OPERATOR_PORT || 8081, path: '/readyz' }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/usr/local/bin/node", "/opt/sandgate/dist/cli/main.js"]
CMD ["serve", "--config", "config/sandgate.yaml"]
