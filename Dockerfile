# One recipe for every process: docker build --build-arg SERVICE=catalog .
# SERVICE is a folder of services/, or gateway, or mcp, or admin (the operator's commands).
ARG NODE_IMAGE=node:22-bookworm-slim

# Installed and compiled once for all images: nothing here depends on SERVICE.
FROM ${NODE_IMAGE} AS build
WORKDIR /assay
COPY . .
RUN node scripts/image.mjs build

FROM build AS pack
ARG SERVICE
RUN mkdir /packed && node scripts/image.mjs pack "${SERVICE:?which process}" /packed

FROM ${NODE_IMAGE}
ARG SERVICE
# What runs users' code is walled in by bubblewrap.
RUN case "$SERVICE" in scoring|metrics) \
        apt-get update && apt-get install -y --no-install-recommends bubblewrap python3 && rm -rf /var/lib/apt/lists/* ;; \
    esac
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /assay
COPY --from=pack /packed ./
# Where sessions keeps attachments, and where keys are made: a volume takes its owner from here.
RUN mkdir /attachments /keys /root-keys && chown 1000:1000 /attachments /keys /root-keys
# The image's user node, as a number: Kubernetes asks for one under runAsNonRoot.
USER 1000
EXPOSE 8080
# By bash, which speaks TCP by itself: starting a node takes a tenth of a second of a core each time.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /livez HTTP/1.1\\r\\nhost: localhost\\r\\nconnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
# Last, since they differ from release to release: `npm run release` gives the commit, and where the sources are.
ARG VERSION=0.2.0
ARG REVISION=unknown
ARG SOURCE=""
ENV ASSAY_REVISION=${REVISION}
LABEL org.opencontainers.image.title="assay-${SERVICE}" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}" \
    org.opencontainers.image.source="${SOURCE}" \
    org.opencontainers.image.licenses="Apache-2.0"
CMD ["node", "process.js"]
