# One recipe for every process: docker build --build-arg SERVICE=catalog .
# SERVICE is a folder of services/, or gateway, or local (whose image is used for the operator's commands only).
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
ARG SERVICE
WORKDIR /assay
COPY . .
# Everything is installed to build, and then only what this one process needs to run.
RUN npm install --no-save --ignore-scripts && \
    node node_modules/typescript/bin/tsc -b && \
    rm -rf node_modules && \
    npm install --no-save --ignore-scripts --omit=dev --workspace "@assay/${SERVICE:?which process}"
RUN case "$SERVICE" in gateway|local) folder="$SERVICE" ;; *) folder="services/$SERVICE" ;; esac && \
    test -f "$folder/dist/main.js" && \
    ln -s "$folder" process && \
    find . -path ./node_modules -prune -o \( -name '*.ts' -o -name '*.tsbuildinfo' \) -type f -exec rm {} +

FROM ${NODE_IMAGE}
ARG SERVICE
# What runs users' code is walled in by bubblewrap.
RUN case "$SERVICE" in scoring|metrics) \
        apt-get update && apt-get install -y --no-install-recommends bubblewrap python3 && rm -rf /var/lib/apt/lists/* ;; \
    esac
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /assay
COPY --from=build /assay ./
# Where sessions keeps attachments: a volume takes its owner from here.
RUN mkdir /attachments && chown node:node /attachments
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "process/dist/main.js"]
