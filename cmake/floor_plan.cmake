# The modules of src/weir in order of dependency. A module may stand on earlier entries, never on later
# ones. `street/*` is a street of plugins: each folder behind it may also stand on `street/api`, and
# `street/plugins`, where there is one, is made of them by weir_plugins().
# tools/arrows reads this list too, so it is the only place where the order is written down.
set(WEIR_FLOOR_PLAN
    base
    config
    metrics
    memory
    types
    stream
    keygroup
    graph
    protocol/checkpoint
    protocol/alignment
    protocol/failover
    protocol/commit
    env/api
    env/posix
    env/sim
    ha/api
    ha/file
    storage/api
    storage/filesystem
    storage/memory
    state/api
    state/heap
    state/plugins
    operators/api
    operators/map
    operators/process
    connectors/api
    connectors/sequence
    connectors/file
    connectors/print
    connectors/collect
    datastream
    exchange
    rpc
    task
    jobmaster
    cluster
    environment)
